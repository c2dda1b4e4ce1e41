import type { DeltaChannel } from '../wire/event.ts';
import type { StoredMessage } from '../wire/message.ts';
import type { Run } from './run.ts';

/**
 * Turns a provider's deltas into events. What arrives within one tick is merged per channel (the order stays), so the
 * cost is per network read and not per token. `message.started` precedes the first delta.
 */
export class DeltaWriter {
  text = '';
  reasoning = '';
  started = false;
  private channel: DeltaChannel = 'text';
  private buffer = '';
  private closed = false;

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
    if (this.buffer === '') queueMicrotask(() => this.flush());
    this.buffer += delta;
  }

  /** Publishes `message.started` once. */
  start(): void {
    if (this.started) return;
    this.started = true;
    const { id, role, createdAt, model } = this.message;
    this.run.publish({
      type: 'message.started',
      sessionId: this.run.session.id,
      message: { id, role, content: '', createdAt, ...(model === undefined ? {} : { model }) },
    });
  }

  /** Publishes what is left and lets nothing more through. */
  close(): void {
    this.flush();
    this.closed = true;
  }

  private flush(): void {
    if (this.buffer === '' || this.closed) return;
    this.start();
    const delta = this.buffer;
    this.buffer = '';
    this.run.publish({
      type: 'message.delta',
      sessionId: this.run.session.id,
      messageId: this.message.id,
      channel: this.channel,
      delta,
    });
  }
}
