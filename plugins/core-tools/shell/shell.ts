import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  defineTool,
  endProcesses,
  field,
  integer,
  type Logger,
  min,
  optional,
  type Services,
  size,
  string,
  type Tool,
  type ToolContext,
  type ToolOutput,
  visible,
} from '../../../lib/plugin-api/index.ts';
import { clip } from '../clip.ts';
import type { CoreToolsOptions } from '../options.ts';

import { scrubEnvironment } from './environment.ts';
import { type CommandResult, runCommand } from './run-command.ts';
import { probeSandbox, sandboxWords } from './sandbox.ts';

export interface Shell {
  tool: Tool;
  /** Ends, once, what commands of an earlier process on the same data directory left behind. Never rejects. */
  endStrays(): Promise<void>;
  /** Ends everything that commands left in the background. */
  close(): Promise<void>;
}

/** The tool `shell` and the ends of what its commands leave behind. The sandbox is tried with the first command. */
export function createShell(
  options: CoreToolsOptions,
  { info, log }: { info: Services['service.info']; log: Logger },
): Shell {
  const environment = scrubEnvironment(process.env);
  const owner = createHash('sha256').update(info.dataDirectory).digest('hex').slice(0, 16);
  const instance = randomUUID();
  const sandbox = createSandbox(options, { info, log, environment });
  let strays: Promise<void> | undefined;
  const endStrays = (): Promise<void> => {
    strays ??= endProcesses({
      isMarked: (marker) => marker.startsWith(`${owner}.`) && !marker.startsWith(`${owner}.${instance}.`),
    }).catch((error: unknown) => log.warn('Stray commands were not ended.', { error: String(error) }));
    return strays;
  };
  const tool = defineTool({
    name: 'shell',
    description:
      'Runs a command with bash in the workspace and gives its output and exit code. There is no terminal and no input. What is started in the background ends at the latest with the service.',
    category: 'shell',
    permission: options.shellPermission,
    parameters: {
      command: field(size(string(), 1, 100_000), 'The command line.'),
      timeout_ms: field(
        optional(min(integer(), 1)),
        `Milliseconds until it is stopped; at most ${options.shellTimeoutMs}.`,
      ),
    },
    describe: ({ command }) => `Run: ${visible(command)}`,
    async execute({ command, timeout_ms }, context) {
      if (command.includes('\0')) return { content: 'The command contains a NUL character.', isError: true };
      const wrapper = await sandbox(context);
      // A run that goes on after a crash must not repeat a command beside the one that it repeats.
      await endStrays();
      const started = performance.now();
      const timeoutMs = Math.min(timeout_ms ?? options.shellTimeoutMs, options.shellTimeoutMs);
      const result = await runCommand({
        argv: [...wrapper, existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh', '-c', command],
        directory: context.workspace.root,
        environment,
        marker: `${owner}.${instance}.${randomUUID()}`,
        timeoutMs,
        maxOutputChars: options.maxOutputChars,
        signal: context.signal,
      });
      const durationMs = Math.round(performance.now() - started);
      const about = { durationMs, sandboxed: wrapper.length > 0 };
      return report(result, about, { timeoutMs, most: options.maxOutputChars });
    },
  });
  return {
    tool,
    endStrays,
    close: () => endProcesses({ isMarked: (marker) => marker.startsWith(`${owner}.${instance}.`) }),
  };
}

/** What to put in front of a command; empty without a sandbox. Looks once whether it works. */
function createSandbox(
  options: CoreToolsOptions,
  { info, log, environment }: { info: Services['service.info']; log: Logger; environment: Record<string, string> },
): (context: ToolContext) => Promise<string[]> {
  const isShared = info.authMode === 'accounts';
  const mode = options.shellSandbox ?? (isShared ? 'required' : 'off');
  const network = options.shellNetwork === 'on' || (options.shellNetwork === 'auto' && !isShared);
  let probe: Promise<string | undefined> | undefined;
  return async ({ workspace }) => {
    if (mode === 'off') return [];
    probe ??= probeSandbox(environment).then((problem) => {
      if (problem) log.warn(`Shell commands are not sandboxed: ${problem}.`);
      return problem;
    });
    const problem = workspace.root === '/' ? 'the workspace is the whole machine' : await probe;
    if (problem === undefined)
      return sandboxWords({ workspace: workspace.root, dataDirectory: info.dataDirectory, network });
    if (mode === 'required')
      throw new Error(`Commands must run in a sandbox here, and ${problem}. The operator can install bubblewrap.`);
    return [];
  };
}

function report(
  { output, stopped, exitCode, exitSignal, outputBytes }: CommandResult,
  about: { durationMs: number; sandboxed: boolean },
  { timeoutMs, most }: { timeoutMs: number; most: number },
): ToolOutput {
  const endings = {
    cancelled: 'The command was cancelled.',
    timeout: `The command was stopped after ${timeoutMs} ms. Run long work in the background, or in smaller steps.`,
    output: 'The command was stopped: it wrote more than 50 MB. Redirect such output to a file.',
  };
  const ending = stopped
    ? endings[stopped]
    : exitSignal !== null
      ? `The command was ended by ${exitSignal}.`
      : exitCode === 0
        ? undefined
        : `Exit code ${exitCode}.`;
  const note = ending === undefined ? '' : `[${ending}]`;
  const text = output(note === '' ? 0 : note.length + 1).replace(/\n$/, '');
  const content = [text === '' && note === '' ? '(no output)' : text, note];
  return {
    content: clip(content.filter((part) => part !== '').join('\n'), most),
    isError: ending !== undefined,
    data: { exitCode, signal: exitSignal, outputBytes, ...about, ...(stopped ? { stopped } : {}) },
  };
}
