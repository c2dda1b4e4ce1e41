import * as assert from 'uvu/assert';
import { ProviderError } from '../../lib/models/model.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { callOf, type Reply, scriptedModel } from '../helpers/scripted-model.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import type { TestApp, TestAppOptions } from '../helpers/test-app.ts';
import { only, watch } from '../helpers/with-app.ts';
import { eventually } from '../helpers/within.ts';
import type { Effect } from './with-key.ts';

const directories = { a: tempDirectory('a'), b: tempDirectory('b') };

const sending = (replies: Reply[]) => () => ({ models: [scriptedModel(replies)] });

/** Sends one message and gives its events up to the end of the run. */
async function run(service: TestApp) {
  const session = await watch(service, (await service.newSession()).id);
  await session.send('go');
  const events = await session.until('run.finished');
  await session.stream.close();
  return events;
}

/** What the model was asked first. */
async function asked(service: TestApp, { models = [] }: TestAppOptions) {
  await run(service);
  const [model] = models;
  return model && 'requests' in model ? (model as ReturnType<typeof scriptedModel>).requests[0] : undefined;
}

const busy = () => Promise.reject(new ProviderError('busy', { retryable: true }));

/** The keys about sessions and their runs. */
export const runEffects: readonly Effect[] = [
  {
    key: 'model.default',
    values: [undefined, 'second'],
    sees: ['first', 'second'],
    options: () => ({ models: [scriptedModel([], { id: 'first' }), scriptedModel([], { id: 'second' })] }),
    observe: async (service) => (await service.newSession()).model,
  },
  {
    key: 'model.temperature',
    values: [undefined, 0.25],
    sees: [undefined, 0.25],
    options: sending([]),
    observe: async (service, options) => (await asked(service, options))?.temperature,
  },
  {
    key: 'model.maxTokens',
    values: [undefined, 321],
    sees: [undefined, 321],
    options: sending([]),
    observe: async (service, options) => (await asked(service, options))?.maxTokens,
  },
  {
    key: 'model.maxSteps',
    values: [1, 2],
    sees: ['max_steps', 'completed'],
    options: sending([{ toolCalls: [callOf('nothing')] }, { content: 'done' }]),
    observe: async (service) => only(await run(service), 'run.finished')[0]?.status,
  },
  {
    key: 'agent.workspace',
    values: [directories.a, directories.b],
    sees: [directories.a, directories.b],
    observe: async (service) => (await service.newSession()).workspace,
  },
  {
    key: 'agent.systemPrompt',
    values: ['', 'Speak like a sailor.'],
    sees: [false, true],
    options: sending([]),
    async observe(service, options) {
      const system = (await asked(service, options))?.system ?? '';
      assert.match(system, 'one workspace directory');
      return /\S\n\nSpeak like a sailor\.$/.test(system);
    },
  },
  {
    key: 'agent.retry.attempts',
    values: [1, 2],
    sees: ['run.failed', 'run.finished'],
    options: () => ({ ...sending([busy])(), settings: { agent: { retry: { baseDelayMs: 0 } } } }),
    async observe(service) {
      const session = await watch(service, (await service.newSession()).id);
      await session.send('go');
      const ends = (type: string) => type === 'run.failed' || type === 'run.finished';
      const events = await session.stream.until(({ type }) => ends(type));
      await session.stream.close();
      return events.at(-1)?.event.type;
    },
  },
  delayed('agent.retry.baseDelayMs', [1_000, 60_000], { maxDelayMs: 100_000 }),
  delayed('agent.retry.maxDelayMs', [1_000, 60_000], { baseDelayMs: 60_000 }),
  {
    key: 'approvals.timeoutMs',
    values: [60_000, 120_000],
    sees: [60_000, 120_000],
    options: () => ({
      ...sending([{ toolCalls: [callOf('launch')] }])(),
      tools: [{ name: 'launch', description: '', permission: 'ask', parameters: {}, execute: () => '' }],
    }),
    async observe(service) {
      const session = await watch(service, (await service.newSession()).id);
      await session.send('go');
      const [requested] = only(await session.until('approval.requested'), 'approval.requested');
      await session.stream.close();
      const { requestedAt = '', expiresAt = '' } = requested?.approval ?? {};
      return Date.parse(expiresAt) - Date.parse(requestedAt);
    },
  },
];

/** The wait before a second attempt is seen on a clock that only moves when told. */
function delayed(key: string, values: [number, number], retry: object): Effect {
  return {
    key,
    values,
    sees: [true, false],
    options: () => ({
      ...sending([busy])(),
      clock: createFakeClock(),
      settings: { agent: { retry: { baseDelayMs: 1, ...retry } } },
    }),
    async observe(service, { clock, models = [] }) {
      const session = await watch(service, (await service.newSession()).id);
      await session.send('go');
      await session.until('notice');
      const [model] = models as ReturnType<typeof scriptedModel>[];
      (clock as ReturnType<typeof createFakeClock>).advance(2_000);
      const again = () => (model?.requests.length ?? 0) > 1;
      await eventually(300, again).catch(() => undefined);
      await session.stream.close();
      return again();
    },
  };
}
