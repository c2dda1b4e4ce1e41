import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** The variable that every process that the service starts inherits, so that it is found even after it left its process group. */
export const markerName = 'SERVICE_CHILD_MARKER';

/** Which processes are meant: those in the group of `group`, its descendants, and those whose marker `isMarked`. */
export interface ProcessTree {
  group?: number;
  isMarked(marker: string): boolean;
}

const graceMs = 2_000;
const pollMs = 40;
/** A tree that forks faster than it is killed is given up after this many rounds. */
const mostRounds = 25;

/**
 * Ends a whole tree: SIGTERM, and SIGKILL for what is left after 2 seconds. Resolves as soon as nothing is left. Where
 * there are no process files (not Linux) only the process group is reached.
 */
export async function endProcesses(tree: ProcessTree): Promise<void> {
  if (!(await signalAll(tree, 'SIGTERM'))) return;
  for (const end = performance.now() + graceMs; performance.now() < end; ) {
    await sleep(pollMs);
    if (!(await isAlive(tree))) return;
  }
  for (let round = 0; round < mostRounds; round++) {
    await signalAll(tree, 'SIGKILL');
    await sleep(pollMs);
    if (!(await isAlive(tree))) return;
  }
}

/** True when the process group has members. */
export function isGroupAlive(group: number): boolean {
  return send(-group, 0);
}

async function isAlive(tree: ProcessTree): Promise<boolean> {
  return (
    (await findProcesses(tree)).length > 0 ||
    (tree.group !== undefined && !hasProcessFiles() && isGroupAlive(tree.group))
  );
}

/** False when there was nobody. */
async function signalAll(tree: ProcessTree, signal: NodeJS.Signals): Promise<boolean> {
  // Looked up first: the children of a process that ends are nobody's descendants any more.
  const found = await findProcesses(tree);
  const reached = tree.group !== undefined && send(-tree.group, signal);
  for (const pid of found) send(pid, signal);
  return reached || found.length > 0;
}

interface Process {
  pid: number;
  parent: number;
  group: number;
  marker: string | undefined;
}

async function findProcesses(tree: ProcessTree): Promise<number[]> {
  if (!hasProcessFiles()) return [];
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const processes: Process[] = [];
  for (let at = 0; at < pids.length; at += looksAtOnce) {
    const some = await Promise.all(pids.slice(at, at + looksAtOnce).map(look));
    processes.push(...some.filter((process) => process !== undefined));
  }
  const wanted = new Set<number>();
  const isRoot = ({ pid, group, marker }: Process): boolean =>
    (tree.group !== undefined && (pid === tree.group || group === tree.group)) ||
    (marker !== undefined && tree.isMarked(marker));
  for (const process of processes) if (isRoot(process)) wanted.add(process.pid);
  for (let size = -1; size !== wanted.size; ) {
    size = wanted.size;
    for (const { pid, parent } of processes) if (wanted.has(parent)) wanted.add(pid);
  }
  wanted.delete(process.pid);
  return [...wanted];
}

/** Each opens two files. More would not be faster: the system calls share four threads. */
const looksAtOnce = 8;

/** Undefined for a process that is gone, or only waits for its parent to notice that it ended. */
async function look(pid: number): Promise<Process | undefined> {
  try {
    const [stat, environment] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'latin1'),
      readFile(`/proc/${pid}/environ`, 'latin1').catch(() => ''),
    ]);
    // The name of the program, in brackets, may contain anything.
    const [state, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (state === 'Z' || state === 'X') return undefined;
    const variable = environment.split('\0').find((entry) => entry.startsWith(`${markerName}=`));
    return { pid, parent: Number(parent), group: Number(group), marker: variable?.slice(markerName.length + 1) };
  } catch {
    return undefined;
  }
}

function hasProcessFiles(): boolean {
  return process.platform === 'linux';
}

/** False when there is nobody to receive it. */
function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}
