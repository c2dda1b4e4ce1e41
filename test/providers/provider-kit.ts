import type { Logger } from '../../lib/base/log.ts';
import type { Completion, Model, ModelRequest } from '../../lib/models/model.ts';
import type { Plugin } from '../../lib/plugin-api/define-plugin.ts';
import type { PluginContext } from '../../lib/plugin-api/plugin.ts';
import { parseOptions } from '../../lib/plugins/load-module.ts';
import type { DeltaChannel } from '../../lib/wire/event.ts';

export interface LoadedProvider {
  models: Model[];
  warnings: string[];
  /** The first registered model. */
  model: Model;
  dispose(): Promise<void>;
}

/** Applies a provider plugin as the host would and collects what it registers. */
export async function loadProvider<Options>(
  plugin: Plugin<Options>,
  configured: Record<string, unknown>,
): Promise<LoadedProvider> {
  const models: Model[] = [];
  const warnings: string[] = [];
  const disposers: (() => void | Promise<void>)[] = [];
  const log = silentLogger(warnings);
  const controller = new AbortController();
  const services: Record<string, unknown> = {
    models: {
      register(model: Model) {
        if (models.some(({ info }) => info.id === model.info.id)) throw new Error(`taken: ${model.info.id}`);
        models.push(model);
        return () => models.splice(models.indexOf(model), 1);
      },
      list: () => models.map(({ info }) => info),
    },
  };
  const context = {
    plugin: { id: 'tested', name: 'tested', version: '1.0.0', directory: '/' },
    options: parseOptions(plugin as Plugin<unknown>, configured, (message) => log.warn(message)),
    log,
    signal: controller.signal,
    use: (name: string) => services[name],
    provide: () => {},
    onDispose: (fn: () => void) => void disposers.push(fn),
  } as unknown as PluginContext<Options>;
  await plugin.apply(context);
  return {
    models,
    warnings,
    get model() {
      const [first] = models;
      if (first === undefined) throw new Error('no model was registered');
      return first;
    },
    async dispose() {
      controller.abort();
      for (const dispose of disposers) await dispose();
    },
  };
}

export interface Call {
  completion: Completion;
  deltas: [DeltaChannel, string][];
}

/** One call; the deltas stay readable through `deltas` also when it rejects. */
export async function callModel(
  model: Model,
  request: Partial<ModelRequest> = {},
  io: { signal?: AbortSignal; deltas?: [DeltaChannel, string][]; onDelta?: () => void } = {},
): Promise<Call> {
  const deltas = io.deltas ?? [];
  const completion = await model.complete(requestOf(request), {
    signal: io.signal ?? new AbortController().signal,
    onDelta(channel, delta) {
      deltas.push([channel, delta]);
      io.onDelta?.();
    },
  });
  return { completion, deltas };
}

export function requestOf(request: Partial<ModelRequest>): ModelRequest {
  return {
    sessionId: 'ses_test',
    system: 'Be brief.',
    messages: [{ role: 'user', content: 'Hello' }],
    tools: [],
    ...request,
  };
}

export function textOf(deltas: readonly [DeltaChannel, string][], channel: DeltaChannel): string {
  return deltas.flatMap(([where, delta]) => (where === channel ? [delta] : [])).join('');
}

/** The rejection of a promise that must reject. */
export async function rejection(promise: Promise<unknown>): Promise<Error & Record<string, unknown>> {
  const outcome = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(outcome instanceof Error)) throw new Error(`expected a rejection, got ${String(outcome)}`);
  return outcome as Error & Record<string, unknown>;
}

/** The ProviderError of a call that must fail; `deltas` collects what it streamed before. */
export async function failureOf(provider: LoadedProvider, deltas: [DeltaChannel, string][] = []) {
  const error = await rejection(callModel(provider.model, {}, { deltas }));
  if (error.name !== 'ProviderError') throw error;
  return error;
}

function silentLogger(warnings: string[]): Logger {
  const log: Logger = {
    debug() {},
    info() {},
    warn: (message) => void warnings.push(message),
    error: (message) => void warnings.push(message),
    child: () => log,
  };
  return log;
}
