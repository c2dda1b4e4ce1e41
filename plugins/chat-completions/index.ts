import {
  configuredModels,
  createProviderHttp,
  definePlugin,
  discoverModels,
  secretsOf,
} from '../../lib/plugin-api/index.ts';
import { createModel } from './create-model.ts';
import { type Endpoint, endpointsOf, Options } from './options.ts';

/** Registers the models of OpenAI-compatible endpoints: those configured, otherwise those the endpoint lists. */
export default definePlugin<Options>({
  options: Options,
  async apply({ options, use, log, signal, onDispose }) {
    const offers = await Promise.all(
      endpointsOf(options, process.env).map(async (endpoint) => {
        const http = createProviderHttp({
          ...endpoint,
          headers: headersOf(endpoint),
          secrets: secretsOf(endpoint.key, endpoint.headers),
        });
        onDispose(http.close);
        const models = configuredModels(endpoint);
        const entries = models.length > 0 ? models : await discoverModels(endpoint.provider, http, { log, signal });
        return entries.map((entry) => createModel(endpoint, entry, http));
      }),
    );
    for (const model of offers.flat()) use('models').register(model);
  },
});

function headersOf({ key, headers }: Endpoint): Record<string, string> {
  const isGiven = Object.keys(headers).some((name) => name.toLowerCase() === 'authorization');
  return key === undefined || isGiven ? headers : { authorization: `Bearer ${key}`, ...headers };
}
