import { createProviderHttp, definePlugin, findModels, registerModels, secretsOf } from '../../lib/plugin-api/index.ts';
import { createModel } from './create-model.ts';
import { type Endpoint, endpointOf, Options } from './options.ts';

const leastThinkingBudget = 1_024;

/** Registers the models of an Anthropic-compatible endpoint: those configured, otherwise those the endpoint lists. */
export default definePlugin<Options>({
  options: Options,
  async apply({ options, use, log, signal, onDispose }) {
    const endpoint = endpointOf(options, process.env);
    if (endpoint === undefined) return;
    if (Number(options.thinkingBudget) < leastThinkingBudget)
      log.warn(`"thinkingBudget" is below ${leastThinkingBudget}, which this API refuses.`);
    const { key, headers } = endpoint;
    const http = createProviderHttp({ ...endpoint, headers: headersOf(endpoint), secrets: secretsOf(key, headers) });
    onDispose(http.close);
    const offered = await findModels(endpoint, http, { log, signal });
    registerModels(use('models'), offered, (entry) => createModel(endpoint, entry, http));
  },
});

/** What every request to the endpoint carries. */
export function headersOf({ key, version, headers }: Endpoint): Record<string, string> {
  const names = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const made: Record<string, string> = {};
  if (key !== undefined && !names.has('x-api-key') && !names.has('authorization')) made['x-api-key'] = key;
  if (!names.has('anthropic-version')) made['anthropic-version'] = version;
  return { ...made, ...headers };
}
