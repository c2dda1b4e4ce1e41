import type { SessionEvent } from '../../lib/wire/event.ts';
import type { Store } from '../state/store.ts';

/** One sentence per turning point of a run, for people who listen: never the text as it streams. */
export function announce(store: Store, event: SessionEvent): void {
  const sentence = sentenceFor(store, event);
  if (sentence) say(store, sentence);
}

/** Adds a sentence to what is read out. */
export function say({ announcements }: Store, text: string): void {
  const key = (announcements.value.at(-1)?.key ?? 0) + 1;
  announcements.value = [...announcements.value, { key, text }].slice(-5);
}

function sentenceFor(store: Store, event: SessionEvent): string | undefined {
  const route = store.route.value;
  const here = route.name === 'session' && 'sessionId' in event && route.id === event.sessionId;
  switch (event.type) {
    case 'run.started':
      return here ? 'Run started' : undefined;
    case 'approval.requested':
      return `Approval needed: ${event.approval.call.name}`;
    case 'run.finished':
      if (!here) return undefined;
      return event.status === 'cancelled' ? 'Run stopped' : 'Reply complete';
    case 'run.failed':
      return here ? `Run failed: ${event.error.slice(0, 200)}` : undefined;
    default:
      return undefined;
  }
}
