import type { SessionChange } from '../store/change.ts';
import type { StoredMessage } from '../wire/message.ts';

/** What puts a transcript back as it is now, before `change` is applied; costs O(messages that the change removes). */
export function undoOf(transcript: StoredMessage[] | undefined, change: SessionChange): () => void {
  if (!transcript) return () => undefined;
  const { length } = transcript;
  switch (change.kind) {
    case 'appended':
      return () => {
        transcript.length = length;
      };
    case 'truncated': {
      const dropped = transcript.slice(change.keep);
      return () => {
        transcript.push(...dropped);
      };
    }
    case 'compacted': {
      const dropped = transcript.slice(0, change.removed);
      return () => {
        transcript.splice(0, 1, ...dropped);
      };
    }
    default:
      return () => undefined;
  }
}
