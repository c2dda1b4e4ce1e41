import { relative } from 'node:path';
import type { Call, Interfere } from '../../store/faulty-files.ts';

/**
 * Every place of the file driver at which something changes on disk: the system call and what it is for. The rig kills a
 * process right before each of them, and fails when it meets one that is not in this list.
 */
export const failpoints = [
  'makeDirectory log',
  'open log',
  'writeSync log',
  'datasync log',
  'truncateSync log',
  'sync log',
  'write log',
  'rename log',
  'remove log',
  'syncDirectory log',
  'makeDirectory sessions',
  'open sessions',
  'writeSync sessions',
  'write sessions',
  'sync sessions',
  'rename sessions',
  'remove sessions',
  'syncDirectory sessions',
  'makeDirectory blobs',
  'open blobs',
  'write blobs',
  'sync blobs',
  'rename blobs',
  'remove blobs',
  'syncDirectory blobs',
  'open index.json',
  'write index.json',
  'sync index.json',
  'rename index.json',
  'remove index.json',
  'syncDirectory root',
] as const;

/** The name of a call's failpoint; undefined for calls that change nothing. */
export function failpointOf(root: string, { operation, path }: Call): string | undefined {
  if (operation === 'read' || operation === 'readHead' || operation === 'list') return undefined;
  const [first = ''] = relative(root, path).split('/');
  const place = first === '' || first === '..' ? 'root' : first.replace(/\.tmp$/, '');
  return `${operation} ${place}`;
}

/** Kills this process right before the `nth` call at a failpoint (`operation place nth`); tells each failpoint it meets. */
export function killingAt(wanted: string, { root, tell }: { root: string; tell: (line: string) => void }): Interfere {
  const [operation, place, nth] = wanted.split(' ');
  const seen = new Set<string>();
  let left = Number(nth);
  return (call) => {
    const name = failpointOf(root, call);
    if (name === undefined) return undefined;
    if (!seen.has(name)) tell(`called ${name}`);
    seen.add(name);
    if (name === `${operation} ${place}` && --left === 0) process.kill(process.pid, 'SIGKILL');
    return undefined;
  };
}
