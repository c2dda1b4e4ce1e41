import type { Token } from './highlight-tokens.ts';

export interface Highlighter {
  /** Undefined for a language it does not know, or code that is too long. */
  highlight(code: string, language: string): Promise<readonly Token[] | undefined>;
}

const mostChars = 200_000;
const mostLines = 3_000;
/** Some grammars take the square of a line's length: a second for 20,000 characters, and minutes for all of them. */
const mostColumns = 5_000;

/** Highlights in a worker that starts with the first code block. */
export function createHighlighter(address: (file: string) => string): Highlighter {
  const waiting = new Map<number, (tokens: readonly Token[] | undefined) => void>();
  let next = 0;
  let worker: Worker | undefined;
  const start = (): Worker => {
    const started = new Worker(address('highlight.worker.js'), { type: 'module', name: 'highlight' });
    started.onmessage = ({ data }: MessageEvent<{ id: number; tokens?: readonly Token[] }>) => {
      waiting.get(data.id)?.(data.tokens);
      waiting.delete(data.id);
    };
    return started;
  };
  return {
    highlight(code, language) {
      const lines = code.split('\n', mostLines + 1);
      if (code.length > mostChars || lines.length > mostLines || lines.some(({ length }) => length > mostColumns))
        return Promise.resolve(undefined);
      worker ??= start();
      const id = ++next;
      worker.postMessage({ id, code, language });
      return new Promise((resolve) => waiting.set(id, resolve));
    },
  };
}
