import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Why figures of another process can not be read here; undefined when they can. */
export const noProcessFigures = existsSync('/proc/self/status') ? undefined : 'this system has no procfs';

/** Resident memory in bytes. */
export function memoryOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024;
}

export function descriptorsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** The command lines of every process that has this word in it, zombies left out. */
export function processesWith(word: string): string[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return [];
    try {
      const line = readFileSync(`/proc/${name}/cmdline`, 'latin1').replaceAll('\0', ' ').trim();
      return line.includes(word) ? [line] : [];
    } catch {
      return [];
    }
  });
}

/** How many files one process of this user may have open. */
export function descriptorLimit(): number {
  const limits = readFileSync('/proc/self/limits', 'latin1');
  return Number(/Max open files\s+(\d+)/.exec(limits)?.[1] ?? 0);
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(0)} MB`;
}
