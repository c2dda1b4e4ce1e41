import { type Call, fault, type Operation } from '../../store/faulty-files.ts';

/** Calls in a row that fail. */
export interface Strike {
  kind: keyof typeof affected;
  /** The first one, counted from 1, and how many there are. */
  at: number;
  times: number;
}

const all: Operation[] = [
  ...(['open', 'writeSync', 'write', 'truncateSync', 'datasync', 'sync', 'syncDirectory'] as const),
  ...(['makeDirectory', 'rename', 'remove', 'list', 'read', 'readHead'] as const),
];

/** Which system calls can meet which fault: a full disk shows when something grows, also at a sync; descriptors run out where one is opened. */
const affected = {
  EIO: all,
  ENOSPC: ['open', 'writeSync', 'write', 'datasync', 'sync', 'makeDirectory', 'rename'],
  EMFILE: ['open', 'syncDirectory', 'list', 'read', 'readHead'],
  'short write': ['writeSync', 'write'],
} satisfies Record<string, Operation[]>;

/** Every way to strike a life that makes these calls: each kind at each call that it can meet, alone and four in a row. */
export function strikesFor(calls: readonly Operation[]): Strike[] {
  const kinds = Object.keys(affected) as Strike['kind'][];
  return kinds.flatMap((kind) =>
    calls.flatMap((operation, index) =>
      meets(kind, operation) ? [1, 4].map((times) => ({ kind, at: index + 1, times })) : [],
    ),
  );
}

/** Throws the fault, or says that the write is to be short. */
export function strikeAt(strike: Strike, { operation, count }: Call): 'short' | undefined {
  const { kind } = strike;
  if (!hits(strike, count) || !meets(kind, operation)) return undefined;
  if (kind === 'short write') return 'short';
  throw fault(kind);
}

export function hits({ at, times }: Strike, count: number): boolean {
  return count >= at && count < at + times;
}

export function nameOf({ kind, at, times }: Strike): string {
  return times === 1 ? `${kind} at call ${at}` : `${kind} at calls ${at} to ${at + times - 1}`;
}

function meets(kind: Strike['kind'], operation: Operation): boolean {
  const operations: readonly Operation[] = affected[kind];
  return operations.includes(operation);
}
