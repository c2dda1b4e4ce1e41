import { parentPort, workerData } from 'node:worker_threads';
import picomatch from 'picomatch';

/** What a matcher is made for; given once, as `workerData`. */
export interface Matching {
  glob?: string;
  pattern?: string;
  /** The pattern is text, not a regular expression. */
  literal?: boolean;
  ignoreCase?: boolean;
  /** Lines to show before and after a match. */
  context?: number;
}

export type Question = { paths: string[] } | { texts: string[]; most: number };

export interface Answer {
  paths?: string[];
  matches?: TextMatch[];
  problem?: string;
}

/** A line that matches, with what surrounds it. */
export interface TextMatch {
  /** Which of the texts. */
  text: number;
  /** Counted from 1. */
  line: number;
  excerpt: string;
  before: string[];
  after: string[];
}

/** What a person reads of one line; minified files have lines of megabytes. */
const lineChars = 400;

const port = parentPort;
const matching: Matching = workerData;
try {
  const matchesPath = matching.glob === undefined ? () => true : compileGlob(matching.glob);
  const matchesLine = matching.pattern === undefined ? () => 0 : compilePattern(matching.pattern);
  port?.on('message', (question: Question) => {
    if ('paths' in question) port.postMessage({ paths: question.paths.filter((path) => matchesPath(path)) });
    else port.postMessage({ matches: searchTexts(question, matchesLine) });
  });
  port?.postMessage({});
} catch (error) {
  port?.postMessage({ problem: error instanceof Error ? error.message : String(error) });
}

/** A pattern without a slash is about names at any depth. Hidden files match like all others. */
function compileGlob(glob: string): (path: string) => boolean {
  return picomatch(glob.includes('/') ? glob.replace(/^\.?\//, '') : `**/${glob}`, { dot: true });
}

/** Gives the position of the match in a line, or -1. */
function compilePattern(pattern: string): (line: string) => number {
  const flags = matching.ignoreCase ? 'i' : '';
  const source = matching.literal ? pattern.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&') : pattern;
  const expression = compile(source, flags);
  return (line) => line.search(expression);
}

/** In Unicode mode, unless the pattern is one that only the old syntax takes. */
function compile(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, `${flags}u`);
  } catch {
    try {
      return new RegExp(source, flags);
    } catch (error) {
      throw new Error(`The pattern is no regular expression: ${error instanceof Error ? error.message : error}`);
    }
  }
}

function searchTexts({ texts, most }: { texts: string[]; most: number }, find: (line: string) => number): TextMatch[] {
  const matches: TextMatch[] = [];
  for (const [text, content] of texts.entries()) {
    const lines = content.split(/\r?\n/);
    if (lines.at(-1) === '') lines.pop();
    for (const [at, line] of lines.entries()) {
      if (matches.length === most) return matches;
      const position = find(line);
      if (position !== -1) matches.push({ text, line: at + 1, excerpt: excerpt(line, position), ...around(lines, at) });
    }
  }
  return matches;
}

function around(lines: readonly string[], at: number): { before: string[]; after: string[] } {
  const count = matching.context ?? 0;
  const show = (from: number, to: number) => lines.slice(from, to).map((line) => excerpt(line, 0));
  return { before: show(Math.max(0, at - count), at), after: show(at + 1, at + 1 + count) };
}

/** The part of a line around a position. */
function excerpt(line: string, position: number): string {
  if (line.length <= lineChars) return line;
  const from = Math.max(0, Math.min(position - 80, line.length - lineChars));
  return `${from > 0 ? '...' : ''}${line.slice(from, from + lineChars)}${from + lineChars < line.length ? '...' : ''}`;
}
