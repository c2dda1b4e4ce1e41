import type { ChatMessage } from '../../../lib/wire/message.ts';
import { type Fact, type Invariant, type Observation, perSession } from './history.ts';
import { followReplica } from './replica.ts';

export const conversationInvariants: readonly Invariant[] = [
  {
    id: 'I12',
    says: 'message ids are unique and in order, and history changes by rewind and compaction alone',
    check: (observation) => perSession(observation, changedHistory),
  },
  {
    id: 'I13',
    says: 'a rewind takes its target and what follows, nothing else, and never usage',
    check: (observation) => perSession(observation, wrongRewinds),
  },
  {
    id: 'I14',
    says: 'files that could not be restored never undo a truncation, and a warning says so',
    check: (observation) => perSession(observation, silentRestores),
  },
  {
    id: 'I15',
    says: 'a compaction cuts at a user message, keeps calls with their results, and replaces at least two messages',
    check: (observation) => perSession(observation, wrongCuts),
  },
  { id: 'I16', says: 'what was deleted stays deleted', check: returnedSessions },
];

function idsOf(messages: readonly ChatMessage[]): string[] {
  return messages.map(({ id }) => id);
}

function changedHistory(facts: readonly Fact[]): string[] {
  const found: string[] = [];
  followReplica(facts, {
    reading: (replica, detail, quiet) => {
      const shown = idsOf(detail.messages);
      if (new Set(shown).size < shown.length) found.push('a message id comes twice');
      const told = idsOf(replica.messages);
      if (replica.unsure) {
        const cut = told.findIndex((id, at) => shown[at] !== id);
        if (cut >= 0 && !replica.mayShrink)
          found.push(`message ${told[cut]}, seen before a crash, is not in its place`);
      } else if (quiet && shown.join() !== told.join()) {
        found.push(`the transcript is not what the events told: ${shown.join()} instead of ${told.join()}`);
      } else if (quiet) {
        for (const [at, message] of detail.messages.entries()) {
          const seen = replica.messages[at];
          if (seen && (seen.content !== message.content || seen.role !== message.role))
            found.push(`message ${message.id} changed after it was completed`);
        }
      }
    },
  });
  return found;
}

function wrongRewinds(facts: readonly Fact[]): string[] {
  const found: string[] = [];
  /** By target: the event and the answer tell of one rewind, in either order. */
  const removed = new Map<string, number>();
  const said = new Map<string, unknown>();
  let tokens: number | undefined;
  let justRewound = false;
  followReplica(facts, {
    rewound: (before, event) => {
      const at = before.findIndex(({ id }) => id === event.messageId);
      const target = before[at];
      if (target?.role !== 'user') found.push(`rewound to ${event.messageId}, which is no user message`);
      const kept = idsOf(before.slice(0, Math.max(0, at)));
      if (kept.join() !== idsOf(event.messages).join()) found.push(`a rewind kept ${idsOf(event.messages).join()}`);
      removed.set(event.messageId, before.length - kept.length);
    },
    other: (fact) => {
      if (fact.kind === 'event' && fact.envelope.event.type === 'session.updated') {
        const { totalTokens } = fact.envelope.event.session.usage;
        if (justRewound && tokens !== undefined && totalTokens !== tokens)
          found.push(`a rewind changed the usage from ${tokens} to ${totalTokens}`);
        tokens = totalTokens;
      }
      justRewound = fact.kind === 'event' && fact.envelope.event.type === 'session.rewound';
      // What a provider counts is told with the next update.
      if (fact.kind === 'crash' || fact.kind === 'completion') tokens = undefined;
      if (fact.kind !== 'answer' || fact.asked.verb !== 'rewind' || fact.status !== 200) return;
      said.set(String(fact.asked.messageId), fact.body?.removed);
    },
  });
  for (const [messageId, count] of said)
    if (removed.has(messageId) && removed.get(messageId) !== count)
      found.push(`a rewind said it removed ${String(count)} of ${removed.get(messageId)}`);
  return found;
}

function silentRestores(facts: readonly Fact[]): string[] {
  return facts.flatMap((fact, at) => {
    if (fact.kind !== 'answer' || fact.asked.verb !== 'rewind' || fact.status !== 200) return [];
    const { restored, warning, messageId } = fact.body ?? {};
    const wanted = fact.asked.restoreFiles !== false;
    const silent = wanted && restored === null && typeof warning !== 'string';
    const later = facts.slice(at).find((next) => next.kind === 'reading');
    const undone = later?.kind === 'reading' && later.detail.messages.some(({ id }) => id === messageId);
    return [
      ...(silent ? [`the files of rewind ${String(messageId)} were left alone without a warning`] : []),
      ...(undone ? [`message ${String(messageId)} is there after it was rewound`] : []),
    ];
  });
}

function wrongCuts(facts: readonly Fact[]): string[] {
  const found: string[] = [];
  followReplica(facts, {
    compacted: (before, event) => {
      const { removedMessages, keptMessages } = event;
      const kept = before.slice(removedMessages);
      if (removedMessages < 2) found.push(`a compaction replaced ${removedMessages} messages`);
      if (kept.length !== keptMessages) found.push(`a compaction kept ${kept.length}, and says ${keptMessages}`);
      if (kept[0] && kept[0].role !== 'user') found.push(`a compaction cut before a message of role ${kept[0].role}`);
      const asked = new Set(kept.flatMap(({ toolCalls }) => toolCalls?.map(({ id }) => id) ?? []));
      for (const { role, toolCallId = '' } of kept)
        if (role === 'tool' && !asked.has(toolCallId))
          found.push(`a compaction took the call ${toolCallId} off its result`);
    },
  });
  return found;
}

function returnedSessions({ facts }: Observation): string[] {
  const found: string[] = [];
  /** By id: the position from which on it must be gone. */
  const deleted = new Map<string, number>();
  for (const [at, fact] of facts.entries()) {
    if (fact.kind === 'answer' && fact.asked.verb === 'delete' && fact.status === 204) deleted.set(fact.sessionId, at);
    else if (fact.kind === 'answer' && fact.sent > (deleted.get(fact.sessionId) ?? Infinity) && isFound(fact.status))
      found.push(`${fact.sessionId} answered ${fact.asked.verb} with ${fact.status} after it was deleted`);
    if (fact.kind === 'reading' && deleted.has(fact.detail.id)) found.push(`${fact.detail.id} was read after deletion`);
    if (fact.kind === 'list')
      for (const id of fact.ids) if (deleted.has(id)) found.push(`${id} is listed after its deletion`);
    if (fact.kind === 'disk') found.push(...fact.remains.map((where) => `a deleted session is still in ${where}`));
  }
  return found;
}

/** A body that is wrong is refused before anybody looks for the session. */
function isFound(status: number): boolean {
  return ![0, 400, 404, 413].includes(status);
}
