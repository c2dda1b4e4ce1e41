import type { DeltaChannel, SessionEvent } from '../wire/event.ts';
import type { ChatMessage, StoredMessage } from '../wire/message.ts';
import type { Run } from './run.ts';

/**
 * Turns a provider's deltas into events. What arrives within one tick is merged per channel (the order stays), so the
 * cost is per network read and not per token. `message.started` precedes the first delta, and those who watch get both at
 * once: what else the service has to do in that turn comes behind the first words.
 */
export class DeltaWriter {
  text = '';
  reasoning = '';
  started = false;
  private channel: DeltaChannel = 'text';
  private buffer = '';
  private closed = false;
  private readonly flushNow = (): void => this.flush();

  constructor(
    private readonly run: Run,
    private readonly message: StoredMessage,
  ) {}

  write(channel: DeltaChannel, delta: string): void {
    if (this.closed || delta === '') return;
    if (channel === 'text') this.text += delta;
    else this.reasoning += delta;
    if (this.buffer !== '' && channel !== this.channel) this.flush();
    this.channel = channel;
    if (this.buffer === '') queueMicrotask(this.flushNow);
    this.buffer += delta;
  }

  /** Publishes `message.started` once. */
  start(): void {
    if (this.started) return;
    this.started = true;
    this.run.publish(this.opening());
  }

  /** The `message.started` of this reply, for one that was not started. */
  opening(): SessionEvent {
    const { id, role, createdAt, model } = this.message;
    const message = { id, role, content: '', createdAt, ...(model === undefined ? {} : { model }) };
    return { type: 'message.started', sessionId: this.run.session.id, message };
  }

  /** The reply as far as events have told it; undefined before the first one. */
  published(): ChatMessage | undefined {
    this.flush();
    if (!this.started) return undefined;
    const { id, role, createdAt, model } = this.message;
    const reasoning = this.reasoning === '' ? {} : { reasoning: this.reasoning };
    return { id, role, content: this.text, createdAt, ...(model === undefined ? {} : { model }), ...reasoning };
  }

  /** Publishes what is left and lets nothing more through. */
  close(): void {
    this.flush();
    this.closed = true;
  }

  private flush(): void {
    if (this.buffer === '' || this.closed) return;
    const isFirst = !this.started;
    this.start();
    this.run.enter(this.channel === 'text' ? 'answering' : 'thinking');
    const delta = this.buffer;
    this.buffer = '';
    const [sessionId, messageId] = [this.run.session.id, this.message.id];
    this.run.publish(
      { type: 'message.delta', sessionId, messageId, channel: this.channel, delta },
      { atOnce: isFirst },
    );
  }
}
