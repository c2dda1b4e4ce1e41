import type { Message } from './conversation.ts';
import type { OpenSession, Store } from './store.ts';

const perImage = 1_100;
const perMessage = 4;

/** How full the model's window is, by the service's own rule of thumb: four characters a token, an image 1,100. */
function estimateTokens(messages: readonly Message[]): number {
  let characters = 0;
  let extra = 0;
  for (const message of messages) {
    characters += message.content.length;
    for (const { arguments: args } of message.toolCalls ?? []) characters += JSON.stringify(args).length;
    extra += perMessage + (message.images?.length ?? 0) * perImage;
  }
  return Math.ceil(characters / 4) + extra;
}

/** The estimate against the window of the session's model; `threshold` is the percentage at which the service compacts. */
export function contextUse(
  store: Store,
  session: OpenSession,
): { used: number; size: number; percent: number; threshold: number } | undefined {
  const summary = store.directory.value.sessions.get(session.id);
  const { compaction } = store.config.value?.agent ?? {};
  const model = store.boot.value?.models.find(({ id }) => id === summary?.model);
  const size = model?.contextWindow ?? compaction?.fallbackContextWindow;
  if (!summary || !size) return undefined;
  const used = estimateTokens(session.conversation.value.messages);
  const percent = Math.min(100, Math.round((used / size) * 100));
  return { used, size, percent, threshold: Math.round((compaction?.threshold ?? 0.8) * 100) };
}
