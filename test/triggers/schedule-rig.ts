import type { SessionStore } from '../../lib/store/session-store.ts';
import type { SessionDetail, SessionSummary } from '../../lib/wire/session.ts';
import { createFakeClock, type FakeClock } from '../helpers/fake-clock.ts';
import { type Reply, type ScriptedModel, scriptedModel } from '../helpers/scripted-model.ts';
import { createTestApp, type TestApp } from '../helpers/test-app.ts';
import { eventually, within } from '../helpers/within.ts';
import { triggerApp } from './trigger-app.ts';

export const minute = 60_000;
export const midnight = Date.UTC(2026, 0, 1);
export const hourly = { id: 'hourly', cron: '0 * * * *', prompt: 'report of {{id}} at {{timestamp}} for {{body}}' };

export interface Rig {
  app: TestApp;
  clock: FakeClock;
  model: ScriptedModel;
}

/** A service whose time is turned by hand; it is a minute before `start`. */
export async function withSchedule(
  triggers: object,
  use: (rig: Rig) => Promise<void>,
  options: { start?: number; replies?: Reply[]; directory?: string; store?: SessionStore } = {},
): Promise<void> {
  const { start = midnight - minute, replies = [], ...rest } = options;
  const clock = createFakeClock(start);
  const model = scriptedModel(replies);
  const app = await createTestApp(triggerApp(triggers, { models: [model], clock, ...rest }));
  try {
    await within(10_000, use({ app, clock, model }));
  } finally {
    await app.close();
  }
}

export async function sessionsOf(app: TestApp): Promise<SessionSummary[]> {
  return (await app.call<{ sessions: SessionSummary[] }>('GET', '/api/sessions', {})).sessions;
}

/** Waits until the runs that were started have ended. */
export async function quiet({ app }: Rig): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  await eventually(5_000, () => app.app.runs.active === 0);
}

/** Turns the clock in steps, letting what was started come to its end after each. */
export async function pass(rig: Rig, ms: number, step = 30_000): Promise<void> {
  for (let left = ms; left > 0; left -= step) {
    rig.clock.advance(Math.min(step, left));
    await quiet(rig);
  }
}

export async function promptsOf(app: TestApp): Promise<string[]> {
  const details: SessionDetail[] = [];
  for (const { id } of await sessionsOf(app)) details.push(await app.detail(id));
  return details.map(({ messages }) => messages[0]?.content ?? '').sort();
}

export const warnings = ({ lines }: TestApp): string[] => lines.filter((line) => /schedule "/.test(line));
