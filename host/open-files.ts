import { readFileSync } from 'node:fs';

/** Descriptors for the store, models, tools and plugins: clients can't take them. */
const reserved = 200;
const advisedLimit = 4_096;
const mostFileSlots = 64;

/** How many files and sockets this process may have open; undefined where the system does not say. Reads one small file. */
export function openFileLimit(limits = '/proc/self/limits'): number | undefined {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync(limits, 'utf8')) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

/** The connections to accept under that limit; a further one is closed at once and disturbs nobody. */
export function connectionLimit(openFiles: number | undefined): number | undefined {
  return openFiles === undefined ? undefined : openFiles - Math.min(reserved, Math.ceil(openFiles / 2));
}

/** How many files the service itself may have open at once for what comes in bursts; the log is not among them. */
export function fileSlots(openFiles: number | undefined): number {
  return openFiles === undefined ? mostFileSlots : Math.min(mostFileSlots, Math.max(4, Math.floor(openFiles / 32)));
}

/** What an operator should know before clients are many; undefined when there is room. */
export function openFilesWarning(openFiles: number | undefined): string | undefined {
  if (openFiles === undefined || openFiles >= advisedLimit) return undefined;
  return `Only ${openFiles} open files are allowed, so at most ${connectionLimit(openFiles)} connections are accepted. Raise the limit (ulimit -n) to ${advisedLimit} or more.`;
}
