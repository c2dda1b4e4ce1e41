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

export type Question = { paths: string[] } | { text: string; most: number };

export interface Answer {
  paths?: string[];
  matches?: TextMatch[];
  problem?: string;
}

/** A line that matches, with what surrounds it. */
export interface TextMatch {
  /** Counted from 1. */
  line: number;
  text: string;
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
    else port.postMessage({ matches: searchText(question.text, question.most, matchesLine) });
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

function searchText(text: string, most: number, matchesLine: (line: string) => number): TextMatch[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  const context = matching.context ?? 0;
  const matches: TextMatch[] = [];
  for (const [at, line] of lines.entries()) {
    if (matches.length === most) break;
    const position = matchesLine(line);
    if (position === -1) continue;
    matches.push({
      line: at + 1,
      text: excerpt(line, position),
      before: lines.slice(Math.max(0, at - context), at).map((other) => excerpt(other, 0)),
      after: lines.slice(at + 1, at + 1 + context).map((other) => excerpt(other, 0)),
    });
  }
  return matches;
}

/** The part of a line around a position. */
function excerpt(line: string, position: number): string {
  if (line.length <= lineChars) return line;
  const from = Math.max(0, Math.min(position - 80, line.length - lineChars));
  return `${from > 0 ? '...' : ''}${line.slice(from, from + lineChars)}${from + lineChars < line.length ? '...' : ''}`;
}
