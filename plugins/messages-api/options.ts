import {
  boolean,
  configuredKey,
  defaulted,
  endpointOptions,
  type Infer,
  integer,
  max,
  min,
  nonempty,
  number,
  optional,
  string,
  type,
} from '../../lib/plugin-api/index.ts';

/**
 * The version segment of `baseUrl` may be left out: `https://api.anthropic.com` means `https://api.anthropic.com/v1`.
 * `maxTokens` is always sent: this, otherwise `model.maxTokens` of the configuration, otherwise 4096.
 */
export const Options = type({
  ...endpointOptions,
  /** Tokens for extended thinking; the temperature is not sent then. */
  thinkingBudget: optional(min(integer(), 1)),
  version: optional(nonempty(string())),
  /** Another name for `version`. */
  anthropicVersion: optional(nonempty(string())),
  temperature: optional(max(min(number(), 0), 1)),
  /** Marks the system prompt and the end of the conversation for the provider's prompt cache. */
  cache: defaulted(boolean(), false),
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
