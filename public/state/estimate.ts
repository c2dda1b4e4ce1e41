import type { Message } from './conversation.ts';

const perImage = 1_100;
const perMessage = 4;

/** How full the model's window is, by the service's own rule of thumb: four characters a token, an image 1,100. */
export function estimateTokens(messages: readonly Message[]): number {
  let characters = 0;
  let extra = 0;
  for (const message of messages) {
    characters += message.content.length;
    for (const { arguments: args } of message.toolCalls ?? []) characters += JSON.stringify(args).length;
    extra += perMessage + (message.images?.length ?? 0) * perImage;
  }
  return Math.ceil(characters / 4) + extra;
}
