import type { ServerResponse } from 'node:http';
import type { Plugin } from '../../lib/plugin-api/define-plugin.ts';
import type { Reply } from '../helpers/scripted-model/script.ts';
import { type ScriptedModel, type ScriptedModelOptions, startScriptedModel } from '../helpers/scripted-model-server.ts';
import { within } from '../helpers/within.ts';
import { startByteServer } from './byte-server.ts';
import { type LoadedProvider, loadProvider } from './provider-kit.ts';

export interface Given {
  server: ScriptedModel;
  provider: LoadedProvider;
}

export interface CaseOptions {
  server?: ScriptedModelOptions;
  plugin?: Record<string, unknown>;
}

/** Runs `check` on the plugin against the scripted model, which refuses what vendors refuse. */
export async function withScript<Options>(
  plugin: Plugin<Options>,
  replies: Reply[],
  { check, ...options }: CaseOptions & { check: (given: Given) => Promise<void> },
): Promise<void> {
  const server = await startScriptedModel({ replies, apiKey: 'key-12345', ...options.server });
  const provider = await load(plugin, server.url, options.plugin);
  try {
    await within(15_000, check({ server, provider }), 'the test');
  } finally {
    await provider.dispose();
    await server.close();
  }
}

/** Runs `check` on the plugin against a server that answers with whatever `answer` writes. */
export async function withServer<Options>(
  plugin: Plugin<Options>,
  answer: (response: ServerResponse, number: number) => unknown,
  options: { plugin: object; check: (provider: LoadedProvider, connections: () => number) => Promise<void> },
): Promise<void> {
  const server = await startByteServer(answer);
  const provider = await load(plugin, server.url, options.plugin);
  try {
    await within(15_000, options.check(provider, server.connections), 'the test');
  } finally {
    await provider.dispose();
    await server.close();
  }
}

function load<Options>(plugin: Plugin<Options>, baseUrl: string, options: object = {}): Promise<LoadedProvider> {
  return loadProvider(plugin, { baseUrl, apiKey: 'key-12345', model: 'm', ...options });
}
