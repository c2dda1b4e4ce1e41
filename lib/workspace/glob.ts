type Token =
  | { kind: 'sign'; sign: string }
  | { kind: 'set'; has: (sign: string) => boolean }
  /** `?` */
  | { kind: 'any' }
  /** `*`, for as many signs of one name as there are. */
  | { kind: 'star' }
  /** `**` at the end: whatever is left. */
  | { kind: 'rest' }
  /** Two stars and a slash, for no directory or many. */
  | { kind: 'directories' };

export interface Glob {
  matches(text: string): boolean;
  /** What a match takes at most, per sign of the text. */
  readonly cost: number;
}

/**
 * A pattern of git's wildmatch, for whole texts. All ways to spread its stars are followed at once, so a match takes the
 * length of the text times that of the pattern at most, whoever wrote it. Undefined for one that matches nothing: a set
 * without its end, a backslash at the end. `paths` false: the text is one name, and two stars are as one.
 */
export function compileGlob(pattern: string, { paths }: { paths: boolean }): Glob | undefined {
  const tokens = tokensOf(pattern, paths);
  if (tokens === undefined) return undefined;
  let now = new Places(tokens);
  let next = new Places(tokens);
  return {
    cost: tokens.length + 1,
    matches(text) {
      now.clear();
      now.enter(0);
      for (let at = 0; at < text.length && now.count > 0; at++) {
        const sign = text.charAt(at);
        next.clear();
        for (let index = 0; index < now.count; index++) next.follow(now.at(index), sign);
        [now, next] = [next, now];
      }
      return now.has(tokens.length);
    },
  };
}

/** Where in a pattern a match may be: few places as a rule, so they are a list and not a table. */
class Places {
  count = 0;
  readonly #tokens: readonly Token[];
  readonly #list: Uint32Array;
  readonly #known: Uint8Array;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
    this.#list = new Uint32Array(tokens.length + 1);
    this.#known = new Uint8Array(tokens.length + 1);
  }

  at(index: number): number {
    return this.#list[index] ?? 0;
  }

  has(place: number): boolean {
    return this.#known[place] === 1;
  }

  add(place: number): void {
    if (this.#known[place] === 1) return;
    this.#known[place] = 1;
    this.#list[this.count++] = place;
  }

  /** What may match nothing is passed at once. */
  enter(place: number): void {
    this.add(place);
    for (let at = place; isOptional(this.#tokens[at]); at++) this.add(at + 1);
  }

  /** Adds what is behind one more sign at a place. */
  follow(place: number, sign: string): void {
    const token = this.#tokens[place];
    if (token === undefined) return;
    if (token.kind === 'directories') {
      this.add(place);
      if (sign === '/') this.enter(place + 1);
    } else if (token.kind === 'rest' || (token.kind === 'star' && sign !== '/')) this.enter(place);
    else if (fits(token, sign)) this.enter(place + 1);
  }

  clear(): void {
    for (let index = 0; index < this.count; index++) this.#known[this.at(index)] = 0;
    this.count = 0;
  }
}

function isOptional(token: Token | undefined): boolean {
  return token?.kind === 'star' || token?.kind === 'rest' || token?.kind === 'directories';
}

function fits(token: Token, sign: string): boolean {
  if (token.kind === 'sign') return token.sign === sign;
  if (sign === '/') return false;
  return token.kind === 'any' || (token.kind === 'set' && token.has(sign));
}

function tokensOf(pattern: string, paths: boolean): Token[] | undefined {
  const tokens: Token[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const sign = pattern.charAt(at);
    if (sign === '*') {
      const { token, end } = starsAt(pattern, at, paths);
      tokens.push(token);
      at = end - 1;
    } else if (sign === '[') {
      const set = setAt(pattern, at + 1);
      if (set === undefined) return undefined;
      tokens.push({ kind: 'set', has: set.has });
      at = set.end;
    } else if (sign === '\\') {
      at += 1;
      if (at === pattern.length) return undefined;
      tokens.push({ kind: 'sign', sign: pattern.charAt(at) });
    } else tokens.push(sign === '?' ? { kind: 'any' } : { kind: 'sign', sign });
  }
  return tokens;
}

/** Two stars are more than one only as a whole name of a path. */
function starsAt(pattern: string, start: number, paths: boolean): { token: Token; end: number } {
  let end = start;
  while (pattern[end] === '*') end += 1;
  const behind = pattern[end];
  const whole = paths && end - start > 1 && (start === 0 || pattern[start - 1] === '/');
  if (whole && behind === '/') return { token: { kind: 'directories' }, end: end + 1 };
  const isRest = whole && (behind === undefined || (behind === '\\' && pattern[end + 1] === '/'));
  return { token: { kind: isRest ? 'rest' : 'star' }, end };
}

/** The named classes of POSIX, as pairs of a first and a last sign. */
const classes: Readonly<Record<string, string>> = {
  alnum: '09AZaz',
  alpha: 'AZaz',
  blank: '  \t\t',
  cntrl: '\0\x1f\x7f\x7f',
  digit: '09',
  graph: '!~',
  lower: 'az',
  print: ' ~',
  punct: '!/:@[`{~',
  space: '  \t\r',
  upper: 'AZ',
  xdigit: '09AFaf',
};

/** A set in brackets from behind its `[`; `end` is where its `]` is. Undefined without one. */
function setAt(pattern: string, start: number): { has: (sign: string) => boolean; end: number } | undefined {
  const negated = pattern[start] === '!' || pattern[start] === '^';
  const parts: ((sign: string) => boolean)[] = [];
  let before = '';
  let at = negated ? start + 1 : start;
  // What comes first is a sign of the set, be it a bracket.
  do {
    let sign = pattern.charAt(at);
    const named = sign === '[' ? /^\[:([^\]]*):\]/.exec(pattern.slice(at, at + 32)) : null;
    if (named) {
      const [, name = ''] = named;
      const pairs = Object.hasOwn(classes, name) ? classes[name] : undefined;
      if (pairs === undefined) return undefined;
      for (let pair = 0; pair < pairs.length; pair += 2)
        parts.push(between(pairs.charAt(pair), pairs.charAt(pair + 1)));
      at += named[0].length - 1;
      sign = '';
    } else if (sign === '-' && before !== '' && (pattern[at + 1] ?? ']') !== ']') {
      at += pattern[at + 1] === '\\' ? 2 : 1;
      if (at >= pattern.length) return undefined;
      parts.push(between(before, pattern.charAt(at)));
      sign = '';
    } else {
      if (sign === '\\') sign = pattern.charAt(++at);
      parts.push(between(sign, sign));
    }
    before = sign;
    at += 1;
    if (at >= pattern.length) return undefined;
  } while (pattern[at] !== ']');
  return { has: (sign) => parts.some((part) => part(sign)) !== negated, end: at };
}

function between(first: string, last: string): (sign: string) => boolean {
  return (sign) => sign >= first && sign <= last;
}
