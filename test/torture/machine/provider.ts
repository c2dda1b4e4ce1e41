import { abortable } from '../../../lib/base/abortable.ts';
import {
  type Completion,
  type Model,
  type ModelIo,
  type ModelRequest,
  ProviderError,
} from '../../../lib/models/model.ts';
import type { Usage } from '../../../lib/wire/usage.ts';
import type { Seams } from './seams.ts';

/** What one model call comes to. Those in `pausing` wait until somebody says how they go on. */
export const endings = ['text', 'silent', 'thought', 'unmetered', 'length', 'refusal'] as const;
export const failures = ['fatal', 'thrown', 'broken', 'wrong'] as const;
export const callings = ['note', 'parallel', 'ask', 'slow', 'throws', 'unknown', 'invalid', 'twins', 'leak'] as const;
export const pausing = ['hold', 'drip'] as const;
export type Kind =
  | (typeof endings)[number]
  | (typeof failures)[number]
  | (typeof callings)[number]
  | (typeof pausing)[number]
  | 'busy';

/** The tools that a reply of that kind calls, in order. */
export const toolsOf: Readonly<Partial<Record<Kind, readonly string[]>>> = {
  note: ['note'],
  parallel: ['note', 'risky', 'note'],
  ask: ['risky'],
  slow: ['slow'],
  throws: ['throws'],
  unknown: ['no_such_tool'],
  invalid: ['note'],
  twins: ['note', 'note'],
  leak: ['leak'],
};

export const usagePerCall: Usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 };

export interface ProviderEvents {
  request(request: ModelRequest): void;
  completion(sessionId: string, usage: Usage | undefined, isSummary: boolean): void;
}

/** A model in this process that plays kinds by session and waits where it is told to. */
export interface ScriptedProvider extends Model {
  /** The kinds of the next model calls of a session; what was left of earlier ones is forgotten. Without one: `text`. */
  plan(sessionId: string, kinds: readonly Kind[]): void;
  /** Lets a call that waits go on as this kind; false when none waits. */
  release(sessionId: string, kind: Kind): boolean;
  waits(sessionId: string): boolean;
  /** What the next compactions get; without one a short summary. */
  summaries: Kind[];
}

/** `secret` is told where a provider may tell one: in its error texts. `nextNumber` never repeats, over lives either: it names calls. */
export function scriptedProvider(
  secret: string,
  seen: ProviderEvents,
  { nextNumber, gate }: { nextNumber: () => number; gate?: Seams['gate'] },
): ScriptedProvider {
  const plans = new Map<string, Kind[]>();
  const waiting = new Map<string, (kind: Kind) => void>();

  const next = (sessionId: string): Kind => plans.get(sessionId)?.shift() ?? 'text';

  /** Whoever steers this world lets every step happen when it likes. */
  async function step(what: string, { sessionId }: ModelRequest, io: ModelIo): Promise<void> {
    if (gate) await abortable(gate(what, sessionId), io.signal);
  }

  async function wait(sessionId: string, io: ModelIo): Promise<Kind> {
    const { signal } = io;
    let stop = (): void => {};
    try {
      return await new Promise<Kind>((resolve, reject) => {
        stop = () => reject(signal.reason);
        signal.addEventListener('abort', stop, { once: true });
        if (signal.aborted) stop();
        else waiting.set(sessionId, resolve);
      });
    } finally {
      signal.removeEventListener('abort', stop);
      waiting.delete(sessionId);
    }
  }

  async function play(kind: Kind, request: ModelRequest, io: ModelIo): Promise<Partial<Completion>> {
    const number = nextNumber();
    if (kind === 'hold' || kind === 'drip') {
      if (kind === 'drip') io.onDelta('text', 'so far ');
      const then = await wait(request.sessionId, io);
      return play(then === 'hold' || then === 'drip' ? 'text' : then, request, io);
    }
    if (kind === 'busy') throw new ProviderError('The provider is overloaded (503).', { retryable: true, status: 503 });
    if (kind === 'fatal') throw new ProviderError(`The key ${secret} is not valid (401).`, { status: 401 });
    if (kind === 'thrown') throw new Error(`A bug in the provider, near ${secret}.`);
    if (kind === 'thought') io.onDelta('reasoning', 'let me think ');
    for (const word of kind === 'silent' ? [] : ['the ', 'answer ']) {
      io.onDelta('text', word);
      await step('model goes on', request, io);
    }
    if (kind === 'broken') throw new ProviderError('The connection broke.', { retryable: true });
    const toolCalls = (toolsOf[kind] ?? []).map((name, at) => ({
      id: kind === 'twins' ? `twin-${number}` : `call-${number}-${at}`,
      name,
      arguments: kind === 'invalid' ? { text: 7 } : { text: `${number}` },
    }));
    const content = `the answer ${number}`;
    return { content, toolCalls, ...(kind === 'thought' ? { reasoning: 'let me think ' } : {}), ...finishOf(kind) };
  }

  return {
    info: { id: 'scripted', provider: 'test', supportsTools: true },
    summaries: [],
    plan: (sessionId, kinds) => void plans.set(sessionId, [...kinds]),
    release(sessionId, kind) {
      const go = waiting.get(sessionId);
      go?.(kind);
      return go !== undefined;
    },
    waits: (sessionId) => waiting.has(sessionId),
    async complete(request, io) {
      const isSummary = request.system.startsWith('You write the summary');
      if (!isSummary) seen.request(request);
      await step('model begins', request, io);
      const kind = isSummary ? (this.summaries.shift() ?? 'silent') : next(request.sessionId);
      const played = await play(kind, request, io);
      io.signal.throwIfAborted();
      const usage = kind === 'unmetered' ? undefined : usagePerCall;
      seen.completion(request.sessionId, usage, isSummary);
      const { toolCalls = [] } = played;
      const finishReason = toolCalls.length > 0 ? 'tool_calls' : 'stop';
      const content = isSummary ? 'In short.' : (played.content ?? '');
      return { finishReason, ...played, ...(usage ? { usage } : {}), content, toolCalls };
    },
  };
}

function finishOf(kind: Kind): Partial<Completion> {
  if (kind === 'length') return { finishReason: 'length' };
  if (kind === 'refusal') return { finishReason: 'content_filter' };
  return kind === 'wrong' ? { finishReason: 'error' } : {};
}
