export default {
  options: {
    parse({ baseUrl, apiKeyEnv = 'LINE_MODEL_KEY', models = [] }) {
      if (typeof baseUrl !== 'string') throw new Error('"baseUrl" must be a URL.');
      return { baseUrl, apiKey: process.env[apiKeyEnv], models };
    },
  },
  apply({ options, use }) {
    for (const id of options.models)
      use('models').register({
        info: { id, provider: 'line-model', supportsTools: false },
        complete: (request, io) => complete(id, request, { ...io, ...options }),
      });
  },
};

async function complete(model, { system, messages }, { baseUrl, apiKey, signal, onDelta }) {
  const body = JSON.stringify({ model, system, messages: messages.map(({ role, content }) => ({ role, content })) });
  const headers = { 'content-type': 'application/json', ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}) };
  const response = await fetch(`${baseUrl}/generate`, { method: 'POST', headers, body, signal }).catch((error) => {
    throw signal.aborted
      ? signal.reason
      : failure('The model server cannot be reached.', { retryable: true, cause: error });
  });
  if (!response.ok) throw failureOf(response);
  let content = '';
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    content += text;
    onDelta('text', text);
  }
  return { content, toolCalls: [], finishReason: 'stop' };
}

function failureOf({ status, headers }) {
  const retryAfter = Number(headers.get('retry-after'));
  return failure(`The model server answered ${status}.`, {
    status,
    retryable: [408, 409, 425, 429].includes(status) || status >= 500,
    ...(retryAfter > 0 ? { retryAfterMs: retryAfter * 1_000 } : {}),
  });
}

/** Errors are recognised by their name. */
function failure(message, fields) {
  return Object.assign(new Error(message), { name: 'ProviderError', retryable: false, ...fields });
}
