import type { SessionEvent } from '../wire/event.ts';
import type { Route } from './channel.ts';

/** One numbered event in the buffer. It holds the event or, once somebody took it, the frame; never both. */
export interface Entry {
  readonly seq: number;
  readonly at: string;
  readonly type: SessionEvent['type'];
  /** The channels it was put on; each shifts it when it is evicted. */
  readonly channels: Route;
  event: SessionEvent | undefined;
  expand: (() => Promise<SessionEvent>) | undefined;
  frame: string | undefined;
  /** The costly wire form while it is being made, shared by everyone who asks meanwhile; not kept afterwards. */
  expanding: Promise<string> | undefined;
  /** About what it holds in memory, in characters. */
  weight: number;
  /** The session was deleted: cursors pass over it. */
  forgotten: boolean;
}

const flatWeight = 256;

/** About how many characters an event holds: O(values in it), independent of the length of its texts. */
export function weigh(event: SessionEvent): number {
  if (event.type === 'message.delta') return flatWeight + event.delta.length;
  return flatWeight + weighValue(event, 0);
}

const deepest = 12;

function weighValue(value: unknown, depth: number): number {
  if (typeof value === 'string') return value.length + 8;
  if (typeof value !== 'object' || value === null || depth > deepest) return 8;
  let sum = 16;
  for (const part of Object.values(value)) sum += 16 + weighValue(part, depth + 1);
  return sum;
}
