import {
  array,
  boolean,
  configuredKey,
  defaulted,
  type Infer,
  integer,
  max,
  min,
  modelEntry,
  nonempty,
  number,
  optional,
  record,
  string,
  type,
  unknown,
} from '../../lib/plugin-api/index.ts';

const positive = min(integer(), 1);

/** The defaults are the contract's; everything from `stream` on is additional. */
export const Options = type({
  /** The version segment may be left out: `https://api.anthropic.com` means `https://api.anthropic.com/v1`. */
  baseUrl: optional(nonempty(string())),
  apiKey: optional(string()),
  apiKeyEnv: optional(nonempty(string())),
  headers: defaulted(record(string(), string()), {}),
  provider: optional(nonempty(string())),
  model: optional(nonempty(string())),
  models: optional(array(modelEntry)),
  /** Always sent: this, otherwise `model.maxTokens` of the configuration, otherwise 4096. */
  maxTokens: optional(positive),
  /** Tokens for extended thinking; the temperature is not sent then. */
  thinkingBudget: optional(positive),
  version: optional(nonempty(string())),
  /** Another name for `version`. */
  anthropicVersion: optional(nonempty(string())),
  timeoutMs: defaulted(positive, 180_000),
  /** False asks for the whole answer at once. */
  stream: defaulted(boolean(), true),
  label: optional(string()),
  contextWindow: optional(positive),
  supportsTools: defaulted(boolean(), true),
  temperature: optional(max(min(number(), 0), 1)),
  /** The longest silence inside an answer. */
  idleTimeoutMs: defaulted(positive, 120_000),
  /** Marks the system prompt and the end of the conversation for the provider's prompt cache. */
  cache: defaulted(boolean(), false),
  /** Further fields of every request body. */
  extraBody: defaulted(record(string(), unknown()), {}),
});

export type Options = Infer<typeof Options>;

/** An endpoint that can be called. */
export interface Endpoint extends Omit<Options, 'baseUrl' | 'apiKey' | 'apiKeyEnv' | 'version' | 'anthropicVersion'> {
  baseUrl: string;
  provider: string;
  version: string;
  key: string | undefined;
  supportsReasoning: boolean;
}

const officialUrl = 'https://api.anthropic.com/v1';

/**
 * The endpoint to offer: the one that is configured, or the one that ANTHROPIC_API_KEY opens; undefined when there is
 * neither. The key of the environment only goes where the environment, or nobody, said.
 */
export function endpointOf(options: Options, env: Readonly<Record<string, string | undefined>>): Endpoint | undefined {
  const { apiKey, apiKeyEnv, version, anthropicVersion, ...rest } = options;
  const envUrl = env.ANTHROPIC_BASE_URL?.trim() || undefined;
  const envKey = env.ANTHROPIC_API_KEY?.trim() || undefined;
  const asked = [options.baseUrl, apiKey, apiKeyEnv, options.model, options.models].some((set) => set !== undefined);
  if (!asked && envKey === undefined) return undefined;
  const baseUrl = withVersion(options.baseUrl ?? envUrl ?? officialUrl);
  const isOurs = options.baseUrl === undefined || isOfficial(baseUrl) || options.baseUrl === envUrl;
  return {
    ...rest,
    baseUrl,
    provider: options.provider ?? (isOfficial(baseUrl) ? 'anthropic' : 'messages-api'),
    version: version ?? anthropicVersion ?? '2023-06-01',
    key: configuredKey({ apiKey, apiKeyEnv }, env) ?? (isOurs ? envKey : undefined),
    supportsReasoning: options.thinkingBudget !== undefined,
  };
}

/** SDKs of this API take the address without its version, other clients with it; both are meant the same. */
function withVersion(baseUrl: string): string {
  const trimmed = baseUrl.replace(/\/+$/, '');
  return /\/v\d+$/.test(trimmed) ? trimmed : `${trimmed}/v1`;
}

function isOfficial(baseUrl: string): boolean {
  return URL.canParse(baseUrl) && new URL(baseUrl).hostname === 'api.anthropic.com';
}
