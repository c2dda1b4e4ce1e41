/** A run of code with the highlighter's class for it. */
export type Token = readonly [text: string, kind: string];

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
  '&quot;': '"',
  '&#x27;': "'",
};

/** The highlighter's HTML as tokens, so that the page never inserts it as HTML. The innermost class counts. */
export function tokensOf(html: string): Token[] {
  const tokens: Token[] = [];
  const kinds: string[] = [];
  for (const [part] of html.matchAll(/<span class="[^"]*">|<\/span>|[^<]+|</g)) {
    if (part.startsWith('<span')) kinds.push(part.slice(13, -2).replace(/hljs-/g, '').split(' ')[0] ?? '');
    else if (part === '</span>') kinds.pop();
    else
      tokens.push([
        part.replace(/&(?:lt|gt|amp|quot|#x27);/g, (entity) => entities[entity] ?? entity),
        kinds.at(-1) ?? '',
      ]);
  }
  return tokens;
}
