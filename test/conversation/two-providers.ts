import type { ServerEventEnvelope } from '../../lib/client/index.ts';
import type { SessionEvent } from '../../lib/wire/event.ts';
import { type RunningService, startService } from '../helpers/running-service.ts';
import type { Reply } from '../helpers/scripted-model/script.ts';
import { type ScriptedModel, type ScriptedModelOptions, startScriptedModel } from '../helpers/scripted-model-server.ts';
import { only } from '../helpers/with-app.ts';
import { within } from '../helpers/within.ts';

/** The two models of these tests: one scripted server, spoken to by both provider plugins. */
export const models = ['chat', 'messages'] as const;

/** Settings in which the scripted server is reached as model `chat` and as model `messages`. */
export function providerSettings(url: string, more: { provider?: object; agent?: object; plugins?: object } = {}) {
  const provider = { apiKey: 'k-secret', ...more.provider };
  return {
    ...(more.agent === undefined ? {} : { agent: more.agent }),
    model: { default: 'chat' },
    plugins: {
      config: {
        'chat-completions': { baseUrl: url, models: ['chat'], ...provider },
        'messages-api': { baseUrl: url, models: ['messages'], ...provider },
        ...more.plugins,
      },
    },
  };
}

/** What one message came to, seen by the client. */
export interface Turn {
  events: SessionEvent[];
  notices: string[];
  status: string;
  error: string;
}

/** One message through the typed client, at most `ms`. */
export async function turn(
  service: Pick<RunningService, 'client'>,
  sessionId: string,
  { content = 'go', ms = 10_000, onEvent = (_: ServerEventEnvelope): void => {} } = {},
): Promise<Turn> {
  const envelopes: ServerEventEnvelope[] = [];
  const note = (envelope: ServerEventEnvelope) => {
    envelopes.push(envelope);
    onEvent(envelope);
  };
  const result = await within(
    ms,
    service.client.sendAndWait(sessionId, content, { onEvent: note }),
    'the end of a run',
  );
  const events = envelopes.map(({ event }) => event);
  const notices = only(events, 'notice').map(({ message }) => message);
  return { events, notices, status: result.status, error: result.error ?? '' };
}

/** A built service before a scripted model server; close both with `close`. */
export interface World {
  model: ScriptedModel;
  service: RunningService;
  newSession(model: (typeof models)[number]): Promise<string>;
  /** The answers from now on, first to last; what was left of earlier ones is forgotten. */
  script(...replies: Reply[]): void;
  /** kill -9, then a new process on the same directory. */
  killAndRestart(): Promise<void>;
  close(): Promise<void>;
}

export async function startWorld(
  script: ScriptedModelOptions = {},
  settings: Parameters<typeof providerSettings>[1] = {},
): Promise<World> {
  let left: Reply[] = [];
  const model = await startScriptedModel({ answer: () => left.shift() ?? [{ status: 418 }], ...script });
  const world: World = {
    model,
    service: await startService({ settings: providerSettings(model.url, settings) }),
    script: (...replies) => {
      left = replies;
    },
    newSession: async (id) => (await world.service.client.createSession({ model: id })).session.id,
    async killAndRestart() {
      await world.service.kill();
      world.service = await world.service.restart();
    },
    async close() {
      await world.service.kill();
      await model.close();
    },
  };
  return world;
}
