import { type Model, type ModelEntry, modelInfo, type ProviderHttp } from '../../lib/plugin-api/index.ts';
import type { Endpoint } from './options.ts';
import { createStreamReader } from './read-stream.ts';
import { createRequestBody } from './request-body.ts';

/** One model of an endpoint: its calls, from the request to the completion. */
export function createModel(endpoint: Endpoint, entry: ModelEntry, http: ProviderHttp): Model {
  const requestBody = createRequestBody(endpoint, entry);
  return {
    info: modelInfo(entry, endpoint),
    // `timeoutMs` and `idleTimeoutMs` are the operator's.
    silenceMs: 0,
    async complete(request, { signal, onDelta }) {
      const { provider, thinkTags } = endpoint;
      const reader = createStreamReader(provider, request, { io: { onDelta }, model: entry.id, thinkTags });
      await http.postForEvents('/chat/completions', requestBody(request), {
        signal,
        onEvent: reader.onEvent,
        onDocument: reader.onDocument,
      });
      return reader.finish();
    },
  };
}
