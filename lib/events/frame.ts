import type { SessionEvent } from '../wire/event.ts';
import type { Channel } from './channel.ts';

type Delta = Extract<SessionEvent, { type: 'message.delta' }>;

/** An envelope as SSE text (contract: Stream format). JSON has no raw line breaks, so one `data:` line holds it. */
export function encodeFrame(seq: number, at: string, event: SessionEvent): string {
  return `id: ${seq}\ndata: {"seq":${seq},"at":"${at}","event":${encodeEvent(event)}}\n\n`;
}

/** The same frame for a delta: only the delta itself is serialised, the rest is ready-made text kept on the channel. */
export function encodeDeltaFrame(seq: number, at: string, event: Delta, channel: Channel): string {
  let prefix = channel.prefix;
  if (prefix?.messageId !== event.messageId || prefix.channel !== event.channel) {
    const { delta: _, ...head } = event;
    prefix = { messageId: event.messageId, channel: event.channel, text: JSON.stringify(head).slice(0, -1) };
    channel.prefix = prefix;
  }
  return `id: ${seq}\ndata: {"seq":${seq},"at":"${at}","event":${prefix.text},"delta":${JSON.stringify(event.delta)}}}\n\n`;
}

/** An event with values that JSON can't carry must not end a stream: it arrives as a notice. */
function encodeEvent(event: SessionEvent): string {
  try {
    return JSON.stringify(event);
  } catch {
    const notice: SessionEvent = { type: 'notice', level: 'error', message: `A ${event.type} event can't be shown.` };
    return JSON.stringify('sessionId' in event ? { ...notice, sessionId: event.sessionId } : notice);
  }
}
