import { createProviderHttp, definePlugin, findModels, registerModels, secretsOf } from '../../lib/plugin-api/index.ts';
import { createModel } from './create-model.ts';
import { type Endpoint, endpointsOf, Options } from './options.ts';

/** Registers the models of OpenAI-compatible endpoints: those configured, otherwise those the endpoint lists. */
export default definePlugin<Options>({
  options: Options,
  async apply({ options, use, log, signal, onDispose }) {
    const offers = await Promise.all(
      endpointsOf(options, process.env).map(async (endpoint) => {
        const { key, headers } = endpoint;
        const http = createProviderHttp({
          ...endpoint,
          headers: headersOf(endpoint),
          secrets: secretsOf(key, headers),
        });
        onDispose(http.close);
        return { endpoint, http, offered: await findModels(endpoint, http, { log, signal }) };
      }),
    );
    for (const { endpoint, http, offered } of offers)
      registerModels(use('models'), offered, (entry) => createModel(endpoint, entry, http));
  },
});

/** What every request to the endpoint carries. */
export function headersOf({ key, headers }: Endpoint): Record<string, string> {
  const isGiven = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
  return key === undefined || isGiven ? headers : { authorization: `Bearer ${key}`, ...headers };
}
