import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { endProcesses, isGroupAlive, markerName } from '../../../lib/plugin-api/index.ts';
import { createOutputWindow, type OutputWindow } from './output-window.ts';

export interface Command {
  /** Program and arguments. */
  argv: readonly string[];
  directory: string;
  environment: Record<string, string>;
  /** Unique; tells the processes of this call from all others. */
  marker: string;
  timeoutMs: number;
  maxOutputChars: number;
  signal: AbortSignal;
}

export interface CommandResult {
  /** What it wrote, in `maxOutputChars` less the characters that are to be added. Called once. */
  output(added: number): string;
  outputBytes: number;
  /** Null when a signal ended it. */
  exitCode: number | null;
  exitSignal: NodeJS.Signals | null;
  /** Why it was stopped, when it was. */
  stopped?: 'cancelled' | 'timeout' | 'output';
}

/** A command that writes more is stopped: nobody reads it, and it would go on for ever. */
const mostOutputBytes = 50 * 1024 * 1024;
/** How long what is in the pipe may take to arrive after the command ended. */
const drainMs = 250;

/**
 * Runs a command in a process group of its own. Resolves when the command itself has ended, also when something that it
 * started in the background still holds its output open; after a timeout or a cancel, when its whole tree has ended.
 * Processes left in the background end with the signal. Rejects when it can't be started.
 */
export async function runCommand(command: Command): Promise<CommandResult> {
  command.signal.throwIfAborted();
  const child = start(command);
  const group = child.pid;
  if (group === undefined) throw await failure(child);
  const end = () => endProcesses({ group, isMarked: (marker) => marker === command.marker });
  const window = createOutputWindow(command.maxOutputChars);
  const decided = new AbortController();
  const reason = await Promise.race([
    ended(child),
    collect(child.stdout, window),
    aborted(command.signal, decided.signal),
    timeout(command.timeoutMs, decided.signal),
  ]);
  decided.abort();
  if (reason !== 'ended') {
    const exited = ended(child);
    await end();
    await exited;
  }
  await drained(child.stdout);
  if (reason === 'ended' && isGroupAlive(group))
    command.signal.addEventListener('abort', () => void end().catch(() => undefined), { once: true });
  const result: CommandResult = {
    output: window.text,
    outputBytes: window.bytes,
    exitCode: child.exitCode,
    exitSignal: child.signalCode,
  };
  return reason === 'ended' ? result : { ...result, stopped: reason };
}

/** Both outputs through one pipe, so that they stay in order. */
function start({ argv, directory, environment, marker }: Command): ChildProcess & { stdout: Readable } {
  return spawn('/bin/sh', ['-c', 'exec "$0" "$@" 2>&1', ...argv], {
    cwd: directory,
    env: { ...environment, [markerName]: marker },
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

function failure(child: ChildProcess): Promise<Error> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(new Error(`The shell could not be started: ${error.message}`)));
  });
}

function ended(child: ChildProcess): Promise<'ended'> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve('ended');
  return new Promise((resolve) => child.once('exit', () => resolve('ended')));
}

/** Reads for as long as there is something; resolves only when it was too much. */
function collect(stdout: Readable, window: OutputWindow): Promise<'output'> {
  return new Promise((resolve) => {
    stdout.on('error', () => undefined);
    stdout.on('data', (chunk: Buffer) => {
      if (window.bytes <= mostOutputBytes) window.add(chunk);
      if (window.bytes > mostOutputBytes) resolve('output');
    });
  });
}

/** `forget` ends the waiting without an answer. */
function aborted(signal: AbortSignal, forget: AbortSignal): Promise<'cancelled'> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve('cancelled');
    else signal.addEventListener('abort', () => resolve('cancelled'), { once: true, signal: forget });
  });
}

function timeout(ms: number, forget: AbortSignal): Promise<'timeout'> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve('timeout'), ms);
    forget.addEventListener('abort', () => clearTimeout(timer), { once: true });
  });
}

async function drained(stdout: Readable): Promise<void> {
  if (!stdout.closed)
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, drainMs);
      stdout.once('close', () => {
        clearTimeout(timer);
        resolve();
      });
    });
  stdout.destroy();
}
