import {
  array,
  boolean,
  configuredKey,
  defaulted,
  endpointOptions,
  type Infer,
  max,
  min,
  nonempty,
  number,
  object,
  optional,
  string,
  type,
} from '../../lib/plugin-api/index.ts';

/** One endpoint; `baseUrl` with the version segment, as in `https://api.openai.com/v1`. */
const endpointFields = {
  ...endpointOptions,
  supportsReasoning: defaulted(boolean(), false),
  temperature: optional(max(min(number(), 0), 2)),
  /** Asks for token counts at the end of a stream. */
  streamUsage: defaulted(boolean(), true),
  /** Reads a leading `<think>...</think>` in the text as reasoning. */
  thinkTags: defaulted(boolean(), false),
  /** Sends `reasoning_content` back with the assistant messages of the current turn. */
  sendReasoning: defaulted(boolean(), false),
  /** How the token limit is called; `max_completion_tokens` at api.openai.com, otherwise `max_tokens`. */
  maxTokensField: optional(nonempty(string())),
};

export const Options = type({
  ...endpointFields,
  /** More endpoints beside this one, each with the same options. */
  endpoints: defaulted(array(object(endpointFields)), []),
});

export type Options = Infer<typeof Options>;

/** An endpoint that can be called. */
export interface Endpoint extends Omit<Options, 'endpoints' | 'baseUrl' | 'apiKey' | 'apiKeyEnv'> {
  baseUrl: string;
  provider: string;
  key: string | undefined;
}

const officialUrl = 'https://api.openai.com/v1';

/**
 * The endpoints to offer: those that are configured, or the one that OPENAI_API_KEY and OPENAI_BASE_URL describe. The key
 * of the environment only goes where the environment, or nobody, said; a configured `baseUrl` needs its own.
 */
export function endpointsOf(options: Options, env: Readonly<Record<string, string | undefined>>): Endpoint[] {
  const { endpoints, ...first } = options;
  const envUrl = env.OPENAI_BASE_URL?.trim() || undefined;
  const envKey = env.OPENAI_API_KEY?.trim() || undefined;
  const asked = [first.baseUrl, first.apiKey, first.apiKeyEnv, first.model, first.models].some(
    (set) => set !== undefined,
  );
  const wanted =
    asked || (endpoints.length === 0 && (envUrl ?? envKey) !== undefined) ? [first, ...endpoints] : endpoints;
  return wanted.map((endpoint) => {
    const { apiKey, apiKeyEnv, ...rest } = endpoint;
    const baseUrl = endpoint.baseUrl ?? envUrl ?? officialUrl;
    const isOurs = endpoint.baseUrl === undefined || isOfficial(baseUrl) || endpoint.baseUrl === envUrl;
    return {
      ...rest,
      baseUrl,
      provider: endpoint.provider ?? (isOfficial(baseUrl) ? 'openai' : 'chat-completions'),
      key: configuredKey({ apiKey, apiKeyEnv }, env) ?? (isOurs ? envKey : undefined),
    };
  });
}

/** True for the API that this dialect comes from, which differs from all others in a field. */
export function isOfficial(baseUrl: string): boolean {
  return URL.canParse(baseUrl) && new URL(baseUrl).hostname === 'api.openai.com';
}
