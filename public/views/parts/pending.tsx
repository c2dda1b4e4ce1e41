import { messageOf } from '../../service/message-of.ts';
import type { Loaded } from './hooks.ts';

interface PendingProps {
  of: Exclude<Loaded<unknown>, { state: 'ready' }>;
  /** What is going on. */
  words?: string;
  /** In a line of its own instead of a page. */
  small?: boolean;
}

/** Stands where something is loaded, or could not be. */
export function Pending({ of, words = 'Loading…', small = false }: PendingProps) {
  if (of.state === 'failed') return <p class="problem">{messageOf(of.error)}</p>;
  return <p class={small ? 'note' : 'empty'}>{words}</p>;
}
