import type { Logger } from '../base/log.ts';
import type { ProviderHttp } from './provider-http.ts';
import { countOf, isRecord, listOf, recordOf, textOf } from './provider-json.ts';
import type { ModelEntry } from './provider-options.ts';

const listTimeoutMs = 4_000;

/** Asks the provider for its models (`GET {baseUrl}/models`). A failure is a warning and an empty list. */
export async function discoverModels(
  provider: string,
  http: ProviderHttp,
  { log, signal }: { log: Logger; signal: AbortSignal },
): Promise<ModelEntry[]> {
  const advice = 'set the option "model" or "models"';
  try {
    const models = listedModels(await http.getJson('/models', { signal, timeoutMs: listTimeoutMs }));
    if (models.length === 0) log.warn(`${provider} lists no models; ${advice}.`);
    return models;
  } catch (error) {
    log.warn(`The models could not be listed; ${advice}. ${error instanceof Error ? error.message : String(error)}`);
    return [];
  }
}

/** The models of a provider's list (`{data: [{id, ...}]}` or a bare array), as far as they look like chat models. */
export function listedModels(answer: unknown, most = 1_000): ModelEntry[] {
  const list = isRecord(answer) ? listOf(answer.data ?? answer.models) : listOf(answer);
  return list.flatMap((item) => readListed(recordOf(item))).slice(0, most);
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
