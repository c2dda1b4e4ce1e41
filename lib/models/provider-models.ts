import { messageOf } from '../base/caught.ts';
import type { Logger } from '../base/log.ts';
import type { Model } from './model.ts';
import type { ProviderHttp } from './provider-http.ts';
import { countOf, isRecord, listOf, recordOf, textOf } from './provider-json.ts';
import { configuredModels, type ModelEntry } from './provider-options.ts';
import type { ModelRegistry } from './registry.ts';

const listTimeoutMs = 4_000;

/** The models of an endpoint; `isListed` when the provider named them, because the options did not. */
export interface OfferedModels {
  entries: ModelEntry[];
  isListed: boolean;
}

/** The configured models, otherwise those that the provider lists (`GET {baseUrl}/models`). A failure is a warning. */
export async function findModels(
  endpoint: Parameters<typeof configuredModels>[0] & { provider: string },
  http: ProviderHttp,
  { log, signal }: { log: Logger; signal: AbortSignal },
): Promise<OfferedModels> {
  const configured = configuredModels(endpoint);
  if (configured.length > 0) return { entries: configured, isListed: false };
  const advice = 'set the option "model" or "models"';
  try {
    const entries = listedModels(await http.getJson('/models', { signal, timeoutMs: listTimeoutMs }));
    if (entries.length === 0) log.warn(`${endpoint.provider} lists no models; ${advice}.`);
    return { entries, isListed: true };
  } catch (error) {
    log.warn(`The models could not be listed; ${advice}. ${messageOf(error)}`);
    return { entries: [], isListed: true };
  }
}

/** Registers what is offered. A listed model whose id is taken is left out; a configured one throws. */
export function registerModels(
  registry: Pick<ModelRegistry, 'register' | 'list'>,
  { entries, isListed }: OfferedModels,
  create: (entry: ModelEntry) => Model,
): void {
  const taken = new Set(isListed ? registry.list().map(({ id }) => id) : []);
  for (const entry of entries) if (!taken.has(entry.id)) registry.register(create(entry));
}

/** The models of a provider's list (`{data: [{id, ...}]}` or a bare array), as far as they look like chat models. */
export function listedModels(answer: unknown, most = 1_000): ModelEntry[] {
  const list = isRecord(answer) ? listOf(answer.data ?? answer.models) : listOf(answer);
  const entries = list.flatMap((item) => readListed(recordOf(item))).slice(0, most);
  return [...new Map(entries.map((entry) => [entry.id, entry])).values()];
}

const otherKinds =
  /embed|whisper|\btts|dall-e|moderation|rerank|transcribe|realtime|-image|\bsora|davinci-00|babbage-00/i;

function readListed(item: Record<string, unknown>): ModelEntry[] {
  const id = textOf(item.id) || textOf(item.name);
  if (id === '' || otherKinds.test(id)) return [];
  const label = textOf(item.display_name);
  const contextWindow = countOf(item.context_length ?? item.max_model_len ?? item.context_window);
  return [{ id, ...(label ? { label } : {}), ...(contextWindow ? { contextWindow } : {}) }];
}
