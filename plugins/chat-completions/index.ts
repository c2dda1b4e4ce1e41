import {
  configuredModels,
  createProviderHttp,
  definePlugin,
  type Logger,
  listedModels,
  type ModelEntry,
  type ProviderHttp,
} from '../../lib/plugin-api/index.ts';
import { createModel } from './create-model.ts';
import { type Endpoint, endpointsOf, Options } from './options.ts';

const listTimeoutMs = 4_000;

/** Registers the models of OpenAI-compatible endpoints: those configured, otherwise those the endpoint lists. */
export default definePlugin<Options>({
  options: Options,
  async apply({ options, use, log, signal, onDispose }) {
    const offers = await Promise.all(
      endpointsOf(options, process.env).map(async (endpoint) => {
        const http = createProviderHttp({ ...endpoint, headers: headersOf(endpoint), secrets: secretsOf(endpoint) });
        onDispose(http.close);
        const models = configuredModels(endpoint);
        const entries = models.length > 0 ? models : await discover(endpoint, http, { log, signal });
        return entries.map((entry) => createModel(endpoint, entry, http));
      }),
    );
    for (const model of offers.flat()) use('models').register(model);
  },
});

async function discover(
  endpoint: Endpoint,
  http: ProviderHttp,
  { log, signal }: { log: Logger; signal: AbortSignal },
): Promise<ModelEntry[]> {
  try {
    const models = listedModels(await http.getJson('/models', { signal, timeoutMs: listTimeoutMs }));
    if (models.length === 0) log.warn(`${endpoint.provider} lists no models; set the option "model" or "models".`);
    return models;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    log.warn(`The models could not be listed; set the option "model" or "models". ${reason}`);
    return [];
  }
}

function headersOf({ key, headers }: Endpoint): Record<string, string> {
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  return {
    ...(key === undefined || names.includes('authorization') ? {} : { authorization: `Bearer ${key}` }),
    ...headers,
  };
}

function secretsOf({ key, headers }: Endpoint): string[] {
  const credentials = Object.entries(headers).filter(([name]) => /auth|key|token|secret/i.test(name));
  return [...(key === undefined ? [] : [key]), ...credentials.map(([, value]) => value.replace(/^Bearer /i, ''))];
}
