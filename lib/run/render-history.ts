import type { StoredMessage } from '../wire/message.ts';
import { cutText } from './tool-text.ts';

/** The longest that one message is quoted, in characters. */
const messageChars = 4_000;

/** A conversation as plain text for the summariser, at most `maxChars`: long messages are cut, then the middle is left out. */
export function renderForSummary(messages: readonly StoredMessage[], maxChars: number): string {
  const parts = messages.map((message) => {
    const calls = (message.toolCalls ?? []).map(
      (call) => `calls ${call.name}(${cutText(JSON.stringify(call.arguments), 1_000)})`,
    );
    const images = message.images ? [`[${message.images.length} image(s)]`] : [];
    return [`## ${speaker(message)}`, cutText(message.content, messageChars), ...images, ...calls]
      .filter((line) => line !== '')
      .join('\n');
  });
  return cutText(`Summarise this part of the conversation.\n\n${parts.join('\n\n')}`, Math.max(2_000, maxChars));
}

function speaker(message: StoredMessage): string {
  if (message.role === 'tool') return `Result of ${message.toolName ?? 'a tool'}${message.isError ? ' (failed)' : ''}`;
  if (message.meta?.compacted !== undefined) return 'Summary of what came before';
  return message.role === 'user' ? 'Person' : 'Agent';
}
