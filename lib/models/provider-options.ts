import { boolean, type Infer, integer, min, nonempty, number, optional, string, type, union } from 'superstruct';
import type { ModelInfo } from '../wire/model.ts';
import { countOf, isRecord, listOf, recordOf, textOf } from './provider-json.ts';

const positive = min(integer(), 1);

/** One entry of the option `models`: an id, or an object that overrides the provider's options for this model. */
export const modelEntry = union([
  nonempty(string()),
  type({
    /** The registered id. */
    id: nonempty(string()),
    /** What the provider calls it, when that differs from `id`. */
    model: optional(nonempty(string())),
    label: optional(string()),
    description: optional(string()),
    contextWindow: optional(positive),
    supportsTools: optional(boolean()),
    supportsReasoning: optional(boolean()),
    temperature: optional(number()),
    maxTokens: optional(positive),
  }),
]);

export type ModelEntry = Exclude<Infer<typeof modelEntry>, string>;

/** The models that the options `model` and `models` name, each id once. `label` and `contextWindow` belong to `model`. */
export function configuredModels(options: {
  model?: string | undefined;
  models?: readonly Infer<typeof modelEntry>[] | undefined;
  label?: string | undefined;
}): ModelEntry[] {
  const { model, models = [], label } = options;
  const entries = models.map((entry) => (typeof entry === 'string' ? { id: entry } : entry));
  if (model !== undefined && !entries.some(({ id }) => id === model))
    entries.unshift({ id: model, ...(label === undefined ? {} : { label }) });
  return entries.filter((entry, index) => entries.findIndex(({ id }) => id === entry.id) === index);
}

/** The models of a provider's list (`{data: [{id, ...}]}` or a bare array), as far as they look like chat models. */
export function listedModels(answer: unknown, most = 1_000): ModelEntry[] {
  const list = isRecord(answer) ? listOf(answer.data ?? answer.models) : listOf(answer);
  return list.flatMap((item) => readListed(recordOf(item))).slice(0, most);
}

/** Which key a request carries: `apiKey`, otherwise the environment variable that `apiKeyEnv` names. */
export function configuredKey(
  options: { apiKey?: string | undefined; apiKeyEnv?: string | undefined },
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const key = options.apiKey ?? (options.apiKeyEnv === undefined ? undefined : env[options.apiKeyEnv]);
  return key?.trim() || undefined;
}

/** What clients are told about a model. */
export function modelInfo(
  entry: ModelEntry,
  defaults: {
    provider: string;
    contextWindow?: number | undefined;
    supportsTools: boolean;
    supportsReasoning: boolean;
  },
): ModelInfo {
  const contextWindow = entry.contextWindow ?? defaults.contextWindow;
  return {
    id: entry.id,
    provider: defaults.provider,
    label: entry.label ?? entry.id,
    ...(entry.description === undefined ? {} : { description: entry.description }),
    ...(contextWindow === undefined ? {} : { contextWindow }),
    supportsTools: entry.supportsTools ?? defaults.supportsTools,
    supportsReasoning: entry.supportsReasoning ?? defaults.supportsReasoning,
  };
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
