import type { SessionEvent } from '../../lib/wire/event.ts';

type Delta = Extract<SessionEvent, { type: 'message.delta' }>;

/** Text that is being streamed, one message at a time. Mutable on purpose: it changes thousands of times a second. */
export interface LiveText {
  readonly messageId: string | undefined;
  readonly text: string;
  readonly reasoning: string;
  /** When reasoning and text began, in milliseconds since the epoch. */
  readonly since: { reasoning: number | undefined; text: number | undefined };
  append(delta: Delta, at: number): void;
  /** Begins another message, with what is known of it. */
  reset(messageId: string | undefined, known?: { text: string; reasoning: string }): void;
  /** Called at once and after every change, at most once per frame. Returns how to stop. */
  watch(paint: () => void): () => void;
}

/** `schedule` calls back before the next paint. */
export function createLiveText(schedule: (paint: () => void) => void): LiveText {
  const watchers = new Set<() => void>();
  let messageId: string | undefined;
  let text = '';
  let reasoning = '';
  let since: LiveText['since'] = { reasoning: undefined, text: undefined };
  let scheduled = false;
  const changed = (): void => {
    if (scheduled || watchers.size === 0) return;
    scheduled = true;
    schedule(() => {
      scheduled = false;
      for (const paint of watchers) paint();
    });
  };
  return {
    get messageId() {
      return messageId;
    },
    get text() {
      return text;
    },
    get reasoning() {
      return reasoning;
    },
    get since() {
      return since;
    },
    append(delta, at) {
      if (delta.messageId !== messageId) this.reset(delta.messageId);
      if (delta.channel === 'text') {
        text += delta.delta;
        since = { ...since, text: since.text ?? at };
      } else {
        reasoning += delta.delta;
        since = { ...since, reasoning: since.reasoning ?? at };
      }
      changed();
    },
    reset(next, known) {
      messageId = next;
      text = known?.text ?? '';
      reasoning = known?.reasoning ?? '';
      since = { reasoning: undefined, text: undefined };
      changed();
    },
    watch(paint) {
      watchers.add(paint);
      paint();
      return () => watchers.delete(paint);
    },
  };
}
