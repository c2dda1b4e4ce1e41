import type { StoredMessage } from '../wire/message.ts';
import { applyToMessages } from './change.ts';
import type { LoggedCommit } from './log-record.ts';

/** Brings the transcript of revision `base` up to `wanted` with what the log has since; mutates and returns it. Throws when a revision is missing. */
export function foldPending(
  messages: StoredMessage[],
  { base, pending, wanted }: { base: number; pending: readonly LoggedCommit[]; wanted: number },
): StoredMessage[] {
  let revision = base;
  for (const { commit } of pending) {
    if (commit.revision <= revision) continue;
    if (commit.revision !== revision + 1) break;
    applyToMessages(messages, commit.change);
    revision = commit.revision;
  }
  if (revision < wanted) throw new Error(`revision ${revision + 1} is missing`);
  return messages;
}
