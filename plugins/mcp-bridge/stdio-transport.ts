import { type ChildProcess, spawn } from 'node:child_process';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { endProcesses, isRecord, type Logger, parseJson } from '../../lib/plugin-api/index.ts';
import { createLineReader } from './lines.ts';
import type { Program } from './program.ts';

export interface StdioTransport extends Transport {
  readonly pid: number | undefined;
  /** How the process ended and what of its error output says why, for the operator. */
  lastWords(): string;
}

/** A message holds at most 12 MB of images, which are 16 MB as text. */
export const mostMessageBytes = 20 * 1024 * 1024;
/** Input that the server does not read. */
const mostWaitingBytes = 32 * 1024 * 1024;
/** Lines on its output that are no messages, after which it is taken for a program that does not speak MCP. */
const mostStrayLines = 5_000;
const mostErrorLines = 200;
const longestErrorLine = 2_000;
/** Of the last lines of its error output the operator is shown the last error, without its trace, otherwise the last two. */
const keptErrorLines = 30;
const errorLine = /^\s*(?:[\w.]*(?:Error|Exception)\b.*|(?:error|fatal|panic)\b.*:.*)/i;
const farewellMs = 1_000;
const drainMs = 250;

/**
 * One child process that speaks MCP on its standard streams, in a process group of its own. When it ends, or is closed,
 * whatever it started ends too; `onclose` comes after that. Its error output goes to the log, bounded.
 */
export function createStdioTransport(program: Program, log: Logger): StdioTransport {
  let child: ChildProcess | undefined;
  let ended: Promise<void> | undefined;
  let ending: Promise<void> | undefined;
  let problem: string | undefined;
  let strays = 0;
  let errorLines = 0;
  const words: string[] = [];

  const fail = (text: string): void => {
    if (problem !== undefined) return;
    problem = text;
    child?.stdout?.destroy();
    transport.onerror?.(new Error(text));
    void end();
  };
  const readMessage = createLineReader(mostMessageBytes, {
    line(text) {
      const message = parseJson(text);
      if (isRecord(message) && message.jsonrpc === '2.0') return transport.onmessage?.(message as JSONRPCMessage);
      strays += 1;
      if (strays === 1) log.warn('It writes something else than MCP messages to its output.', { line: clip(text) });
      if (strays > mostStrayLines) fail('It writes text to its output that is no MCP message.');
    },
    tooLong: () => fail(`It sent a message of over ${mostMessageBytes / 1024 / 1024} MB.`),
  });
  const keep = (line: string): void => {
    words.push(line);
    if (words.length > keptErrorLines) words.shift();
  };
  const readError = createLineReader(longestErrorLine * 4, {
    line(text) {
      keep(clip(text));
      if (errorLines++ < mostErrorLines) log.debug(`stderr: ${clip(text)}`);
    },
    tooLong: () => keep('[a line that is too long]'),
  });

  /** Says goodbye by closing its input, then ends the whole tree. */
  const end = (): Promise<void> => {
    ending ??= (async () => {
      child?.stdin?.end();
      if (problem === undefined) await within(farewellMs, ended);
      if (child?.pid !== undefined) await endProcesses(treeOf(child.pid, program.marker));
      await ended;
    })();
    return ending;
  };

  const transport: StdioTransport = {
    get pid() {
      return child?.pid;
    },
    lastWords() {
      const how = child?.signalCode ?? (child?.exitCode === null ? undefined : `code ${child?.exitCode}`);
      const exit = how === undefined ? 'The process ended.' : `The process ended (${how}).`;
      const error = words.findLast((line) => errorLine.test(line));
      return [problem ?? exit, ...(error === undefined ? words.slice(-2) : [error.trim()])].join(' ');
    },
    async start() {
      const [file, ...args] = program.argv;
      const started = spawn(file, args, {
        cwd: program.cwd,
        env: program.env,
        detached: true,
        stdio: ['pipe', 'pipe', 'pipe'],
      });
      child = started;
      started.stdout.on('data', readMessage).on('error', () => undefined);
      started.stderr.on('data', readError).on('error', () => undefined);
      // A process that is gone says so by its end; what could not be written to it is of no interest.
      started.stdin.on('error', () => undefined);
      await new Promise<void>((resolve, reject) => {
        started.once('spawn', resolve);
        started.once('error', (error) => reject(new Error(`The process could not be started: ${error.message}`)));
      });
      ended = new Promise((resolve) => {
        started.once('exit', () => void drain(started).then(resolve));
      });
      void ended.then(() => end()).then(() => transport.onclose?.());
    },
    send(message) {
      const input = child?.stdin;
      if (!input?.writable) return Promise.reject(new Error('The process has ended.'));
      if (input.writableLength > mostWaitingBytes)
        return Promise.reject(new Error('The process does not read its input.'));
      return new Promise((resolve, reject) => {
        input.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
      });
    },
    close: end,
  };
  return transport;
}

/** What is still in the pipes; something that the process left behind may hold them open for ever. */
async function drain({ stdout, stderr }: ChildProcess): Promise<void> {
  await within(
    drainMs,
    Promise.all([stdout, stderr].map((stream) => stream && new Promise((resolve) => stream.once('close', resolve)))),
  );
  stdout?.destroy();
  stderr?.destroy();
}

function treeOf(group: number, marker: string): Parameters<typeof endProcesses>[0] {
  return { group, isMarked: (value) => value === marker };
}

async function within(ms: number, promise: Promise<unknown> | undefined): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([promise, new Promise((resolve) => (timer = setTimeout(resolve, ms)))]);
  clearTimeout(timer);
}

function clip(line: string): string {
  return line.length > longestErrorLine ? `${line.slice(0, longestErrorLine)}...` : line;
}
