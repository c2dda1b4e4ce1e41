import {
  array,
  boolean,
  defaulted,
  type Infer,
  integer,
  min,
  nonempty,
  number,
  optional,
  record,
  string,
  type,
  union,
  unknown,
} from 'superstruct';
import type { ModelInfo } from '../wire/model.ts';

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

/** The options that every provider over HTTP has; the defaults are the contract's. */
export const endpointOptions = {
  baseUrl: optional(nonempty(string())),
  apiKey: optional(string()),
  /** The environment variable that holds the key. */
  apiKeyEnv: optional(nonempty(string())),
  headers: defaulted(record(string(), string()), {}),
  provider: optional(nonempty(string())),
  model: optional(nonempty(string())),
  models: optional(array(modelEntry)),
  /** Of `model`; its id when absent. */
  label: optional(string()),
  contextWindow: optional(positive),
  supportsTools: defaulted(boolean(), true),
  maxTokens: optional(positive),
  timeoutMs: defaulted(positive, 180_000),
  /** False asks for the whole answer at once. */
  stream: defaulted(boolean(), true),
  /** The longest silence inside an answer. */
  idleTimeoutMs: defaulted(positive, 120_000),
  /** Further fields of every request body. */
  extraBody: defaulted(record(string(), unknown()), {}),
};

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

/** The texts among the headers and the key that must never reach an error message. */
export function secretsOf(key: string | undefined, headers: Readonly<Record<string, string>>): string[] {
  const credentials = Object.entries(headers).filter(([name]) => /auth|key|token|secret/i.test(name));
  return [...(key === undefined ? [] : [key]), ...credentials.map(([, value]) => value.replace(/^Bearer /i, ''))];
}
