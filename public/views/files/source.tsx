import { useEffect, useRef, useState } from 'preact/hooks';
import type { Token } from '../../service/highlight-tokens.ts';
import { plural } from '../../state/format.ts';
import { useConsole } from '../context.tsx';

const lineHeight = 20;

/** Text with line numbers, find, and a line to go to. */
export function Source({ text, name, line }: { text: string; name: string; line: number | undefined }) {
  const { highlighter } = useConsole();
  const [tokens, setTokens] = useState<readonly Token[]>();
  const [find, setFind] = useState('');
  const box = useRef<HTMLDivElement>(null);
  const lines = text.split('\n');
  const ending = name.split('.').pop()?.toLowerCase() ?? '';
  const language = Object.hasOwn(languages, ending) ? languages[ending] : undefined;
  useEffect(() => {
    setTokens(undefined);
    if (language) void highlighter.highlight(text, language).then(setTokens);
  }, [text, language]);
  useEffect(() => {
    const scroller = box.current?.closest('.file-body');
    if (scroller && line) scroller.scrollTop = Math.max(0, (line - 4) * lineHeight);
  }, [line, text]);
  const wanted = /^:(\d+)$/.exec(find)?.[1];
  const hits =
    find === '' || wanted
      ? []
      : lines.flatMap((content, at) => (content.toLowerCase().includes(find.toLowerCase()) ? [at] : []));
  const goTo = (at: number | undefined) => {
    const scroller = box.current?.closest('.file-body');
    if (scroller && at !== undefined) scroller.scrollTop = Math.max(0, (at - 3) * lineHeight);
  };
  const single = wanted ? Math.min(Number(wanted), lines.length) : line;
  const marked = new Set(single ? [single - 1, ...hits] : hits);
  return (
    <div ref={box}>
      <form
        class="find"
        onSubmit={(event) => {
          event.preventDefault();
          if (wanted) return goTo((single ?? 1) - 1);
          const scroller = box.current?.closest('.file-body');
          const now = Math.round((scroller?.scrollTop ?? 0) / lineHeight) + 3;
          goTo(hits.find((at) => at > now) ?? hits[0]);
        }}
      >
        <input
          type="search"
          placeholder="Find, or :line"
          aria-label="Find in this file, or a colon and the number of a line"
          value={find}
          onInput={(event) => setFind(event.currentTarget.value)}
        />
        {find !== '' && !wanted && <span class="muted">{plural(hits.length, 'line')}</span>}
      </form>
      <div class="source">
        {[...marked].slice(0, 500).map((at) => (
          <span key={at} class="line-mark" style={{ top: `${at * lineHeight}px` }} />
        ))}
        <pre class="numbers" aria-hidden="true">
          {lines.map((_, at) => `${marked.has(at) ? '▸ ' : ''}${at + 1}`).join('\n')}
        </pre>
        <pre>
          <code>
            {tokens
              ? tokens.map(([part, kind], at) =>
                  kind === '' ? (
                    part
                  ) : (
                    <span key={at} class={`tok-${kind}`}>
                      {part}
                    </span>
                  ),
                )
              : text}
          </code>
        </pre>
      </div>
    </div>
  );
}

const languages: Readonly<Record<string, string>> = {
  ts: 'typescript',
  tsx: 'typescript',
  mts: 'typescript',
  js: 'javascript',
  jsx: 'javascript',
  mjs: 'javascript',
  json: 'json',
  css: 'css',
  html: 'xml',
  xml: 'xml',
  svg: 'xml',
  md: 'markdown',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  go: 'go',
  java: 'java',
  kt: 'kotlin',
  c: 'c',
  h: 'c',
  cpp: 'cpp',
  hpp: 'cpp',
  cs: 'csharp',
  php: 'php',
  lua: 'lua',
  sh: 'bash',
  bash: 'bash',
  sql: 'sql',
  swift: 'swift',
  yml: 'yaml',
  yaml: 'yaml',
  toml: 'ini',
  ini: 'ini',
  diff: 'diff',
  patch: 'diff',
};
