import { create, type Struct } from 'superstruct';
import { messageOf } from '../../lib/base/caught.ts';
import type { Config } from '../../lib/config/config.ts';
import { createProviderHttp } from '../../lib/models/provider-http.ts';
import { listedModels } from '../../lib/models/provider-models.ts';
import { secretsOf } from '../../lib/models/provider-options.ts';
import * as chatCompletions from '../../plugins/chat-completions/index.ts';
import * as chatOptions from '../../plugins/chat-completions/options.ts';
import * as messagesApi from '../../plugins/messages-api/index.ts';
import * as messagesOptions from '../../plugins/messages-api/options.ts';
import { type Check, fail, mayLoad, ok, warn } from './check.ts';

type Environment = Readonly<Record<string, string | undefined>>;
type Http = Omit<Parameters<typeof createProviderHttp>[0], 'secrets'>;

interface Provider extends Http {
  provider: string;
  secrets: string[];
}

const subject = 'Models';
const timeoutMs = 5_000;

/** Which model providers are configured; with `online` each is asked for its models. Never tells a key. */
export async function checkProviders(
  { plugins }: Pick<Config, 'plugins'>,
  env: Environment,
  { online }: { online: boolean },
): Promise<Check[]> {
  let providers: Provider[];
  try {
    providers = configured(plugins, env);
  } catch (error) {
    return [fail(subject, `The options of a provider are wrong: ${messageOf(error)}`)];
  }
  if (!['chat-completions', 'messages-api'].some((name) => mayLoad(plugins, name)))
    return [warn(subject, 'plugins.allow leaves out the providers of the package: models are those of other plugins.')];
  if (providers.length === 0)
    return [
      warn(
        subject,
        'No provider of the package is configured: set OPENAI_API_KEY or ANTHROPIC_API_KEY, unless another plugin brings models. The demo model works.',
      ),
    ];
  if (!online)
    return providers.map(({ provider, baseUrl }) =>
      ok(subject, `${provider} at ${hostOf(baseUrl)}; not asked (--online asks).`),
    );
  return Promise.all(providers.map(ask));
}

function configured(plugins: Config['plugins'], env: Environment): Provider[] {
  return [
    ...(mayLoad(plugins, 'chat-completions') ? chatProviders(plugins.config['chat-completions'], env) : []),
    ...(mayLoad(plugins, 'messages-api') ? messagesProviders(plugins.config['messages-api'], env) : []),
  ];
}

function chatProviders(options: unknown, env: Environment): Provider[] {
  return chatOptions.endpointsOf(parse(options, chatOptions.Options), env).map((endpoint) => ({
    ...endpoint,
    headers: chatCompletions.headersOf(endpoint),
    secrets: secretsOf(endpoint.key, endpoint.headers),
  }));
}

function messagesProviders(options: unknown, env: Environment): Provider[] {
  const endpoint = messagesOptions.endpointOf(parse(options, messagesOptions.Options), env);
  if (!endpoint) return [];
  const secrets = secretsOf(endpoint.key, endpoint.headers);
  return [{ ...endpoint, headers: messagesApi.headersOf(endpoint), secrets }];
}

function parse<T>(options: unknown, struct: Struct<T, never> | Struct<T, unknown>): T {
  return create(options ?? {}, struct as Struct<T, unknown>);
}

async function ask(provider: Provider): Promise<Check> {
  const name = `${provider.provider} at ${hostOf(provider.baseUrl)}`;
  const http = createProviderHttp(provider);
  try {
    const models = listedModels(await http.getJson('/models', { signal: AbortSignal.timeout(timeoutMs), timeoutMs }));
    return models.length === 0
      ? warn(subject, `${name} answers, but lists no models.`)
      : ok(subject, `${name} lists ${models.length} models.`);
  } catch (error) {
    return fail(subject, `${name}: ${messageOf(error)}`);
  } finally {
    http.close();
  }
}

function hostOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).host : 'an address that is no URL';
}
