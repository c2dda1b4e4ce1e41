import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Completion,
  type Model,
  type ModelIo,
  type ModelRequest,
  ProviderError,
  type Usage,
} from '../../lib/plugin-api/index.ts';
import { type Reply, replyTo } from './reply.ts';

/** The model `demo`: deterministic and offline. `delayMs` is the pause between two streamed words. */
export function demoModel({ delayMs }: { delayMs: number }): Model {
  return {
    info: {
      id: 'demo',
      provider: 'demo-model',
      label: 'Demo (offline, no AI)',
      description: 'Turns plain instructions into tool calls; for trying things out without a provider.',
      contextWindow: 64_000,
      supportsTools: true,
      supportsReasoning: true,
    },
    async complete(request, io) {
      io.signal.throwIfAborted();
      const reply = replyTo(request);
      await streamReply(reply, io, delayMs);
      if (reply.failure !== undefined) throw new ProviderError(reply.failure);
      return completionOf(request, reply);
    },
  };
}

async function streamReply({ reasoning, content, waitSeconds }: Reply, io: ModelIo, delayMs: number): Promise<void> {
  for (let left = waitSeconds; left > 0; left--) {
    io.onDelta('reasoning', `${left} `);
    await pause(1_000, io.signal);
  }
  for (const [channel, text] of [
    ['reasoning', reasoning],
    ['text', content],
  ] as const)
    for (const [word] of text.matchAll(/\s*\S+|\s+/g)) {
      if (delayMs > 0) await pause(delayMs, io.signal);
      io.onDelta(channel, word);
    }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
  signal.throwIfAborted();
}

function completionOf(request: ModelRequest, { reasoning, content, toolCalls, waitSeconds }: Reply): Completion {
  const counted = Array.from({ length: waitSeconds }, (_, at) => `${waitSeconds - at} `).join('');
  const thought = counted + reasoning;
  return {
    content,
    ...(thought === '' ? {} : { reasoning: thought }),
    toolCalls,
    usage: usageOf(request, content + JSON.stringify(toolCalls), thought),
    finishReason: toolCalls.length > 0 ? 'tool_calls' : 'stop',
  };
}

/** Four characters are a token. */
function usageOf({ system, messages, tools }: ModelRequest, output: string, reasoning: string): Usage {
  let read = system.length;
  for (const message of messages) read += message.content.length;
  for (const tool of tools) read += tool.name.length + tool.description.length;
  const inputTokens = Math.ceil(read / 4);
  const reasoningTokens = Math.ceil(reasoning.length / 4);
  const outputTokens = Math.ceil(output.length / 4) + reasoningTokens;
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens, reasoningTokens };
}
