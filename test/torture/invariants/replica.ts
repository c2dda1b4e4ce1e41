import type { SessionEvent } from '../../../lib/wire/event.ts';
import type { ChatMessage } from '../../../lib/wire/message.ts';
import type { Fact, Reading } from './history.ts';

/** What a client that only follows the events believes a transcript to be. */
export interface Replica {
  messages: ChatMessage[];
  /** Something may be stored that was not told: a crash, or a change whose answer never came. The next reading settles it. */
  unsure: boolean;
  /** As `unsure`, and what is missing may be missing rightly: a rewind, compaction or deletion was under way. */
  mayShrink: boolean;
  /** The last rewind that was answered; its event may come later, or never because of a crash. */
  answered: { sessionId: string; messageId: string | undefined } | undefined;
}

/** Told of each step of a replica, so that a check can compare before and after. */
export interface ReplicaSteps {
  rewound?(before: readonly ChatMessage[], event: Extract<SessionEvent, { type: 'session.rewound' }>): void;
  compacted?(before: readonly ChatMessage[], event: Extract<SessionEvent, { type: 'context.compacted' }>): void;
  /** Before the reading is taken over. */
  reading?(replica: Replica, detail: Reading, quiet: boolean): void;
  other?(fact: Fact, replica: Replica): void;
}

/** Follows the facts of one session. O(facts x messages). */
export function followReplica(facts: readonly Fact[], steps: ReplicaSteps): void {
  const replica: Replica = { messages: [], unsure: false, mayShrink: false, answered: undefined };
  for (const fact of facts) {
    if (fact.kind === 'event') applyEvent(replica, fact.envelope.event, steps);
    else if (fact.kind === 'reading') takeReading(replica, fact.detail, { quiet: fact.quiet, steps });
    else if (fact.kind === 'crash') crash(replica, steps);
    else if (fact.kind === 'answer' && fact.status === 0 && shrinking.has(fact.asked.verb)) replica.mayShrink = true;
    else if (fact.kind === 'answer' && fact.status === 200 && fact.asked.verb === 'rewind')
      replica.answered = { sessionId: fact.sessionId, messageId: fact.asked.messageId };
    steps.other?.(fact, replica);
  }
}

/** A rewind whose answer was faster than its event has happened, whatever the crash held back: the same as if it had been told. */
function crash(replica: Replica, steps: ReplicaSteps): void {
  replica.unsure = true;
  const { messageId = '', sessionId = '' } = replica.answered ?? {};
  const at = replica.messages.findIndex(({ id }) => id === messageId);
  if (at < 0) return;
  const messages = replica.messages.slice(0, at);
  steps.rewound?.(replica.messages, { type: 'session.rewound', sessionId, messageId, messages });
  replica.messages = messages;
}

const shrinking = new Set<string>(['rewind', 'compact', 'delete']);

function applyEvent(replica: Replica, event: SessionEvent, steps: ReplicaSteps): void {
  if (event.type === 'message.completed') {
    const at = replica.messages.findIndex(({ id }) => id === event.message.id);
    if (at >= 0) replica.messages[at] = event.message;
    else replica.messages.push(event.message);
  } else if (event.type === 'session.rewound') {
    steps.rewound?.(replica.messages, event);
    replica.messages = [...event.messages];
  } else if (event.type === 'context.compacted') {
    // The summary was announced last and stands first.
    const summary = replica.messages.at(-1);
    const before = replica.messages.slice(0, -1);
    steps.compacted?.(before, event);
    replica.messages = [...(summary ? [summary] : []), ...before.slice(event.removedMessages)];
  }
}

function takeReading(
  replica: Replica,
  detail: Reading,
  { quiet, steps }: { quiet: boolean; steps: ReplicaSteps },
): void {
  if (replica.unsure) catchUp(replica, detail, steps);
  steps.reading?.(replica, detail, quiet);
  if (!replica.unsure && !quiet) return;
  replica.messages = [...detail.messages];
  replica.unsure = false;
  replica.mayShrink = false;
}

/** A run may have been compacting at the crash: its summary is there, and nobody was told. The same as if it had been. */
function catchUp(replica: Replica, { id, messages }: Reading, steps: ReplicaSteps): void {
  const [summary] = messages;
  const removedMessages = Number(summary?.meta?.compacted ?? 0);
  if (!summary || removedMessages === 0 || replica.messages.some((message) => message.id === summary.id)) return;
  const [tokensBefore, tokensAfter] = [Number(summary.meta?.tokensBefore), Number(summary.meta?.tokensAfter)];
  const keptMessages = Math.max(0, replica.messages.length - removedMessages);
  const counts = { removedMessages, keptMessages, tokensBefore, tokensAfter };
  steps.compacted?.(replica.messages, { type: 'context.compacted', sessionId: id, ...counts });
  replica.messages = [summary, ...replica.messages.slice(removedMessages)];
}
