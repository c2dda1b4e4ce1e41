import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Approval } from '../../lib/wire/approval.ts';
import type { Checkpoint } from '../../lib/wire/checkpoint.ts';
import type { IssuedToken } from '../../lib/wire/identity.ts';
import { pixel } from '../helpers/pixel.ts';
import { callOf, type ScriptedModel } from '../helpers/scripted-model.ts';
import type { TestApp } from '../helpers/test-app.ts';
import { type TestSession, watch } from '../helpers/with-app.ts';

/** A request that succeeds. `status` is 200 and `body` absent unless given. */
export interface HappyCall {
  path: string;
  status?: number;
  body?: object;
}

/** A service with one model, whose next replies can be set. */
export interface Scene extends TestApp {
  model: ScriptedModel;
}

/** Brings a service into the state in which a request to the route succeeds, and names that request. */
export type Prepare = (service: Scene) => HappyCall | Promise<HappyCall>;

const at =
  (path: string, more: Omit<HappyCall, 'path'> = {}): Prepare =>
  () => ({ path, ...more });

const inSession =
  (rest = '', more: Omit<HappyCall, 'path'> = {}): Prepare =>
  async (service) => ({ path: `/api/sessions/${(await service.newSession()).id}${rest}`, ...more });

/** One for each route of the service, by `METHOD path` as the handler declares it. */
export const happyCalls: Readonly<Record<string, Prepare>> = {
  'GET /api/health': at('/api/health'),
  'GET /api/bootstrap': at('/api/bootstrap'),
  'GET /api/config': at('/api/config'),
  'GET /api/usage': at('/api/usage'),
  'GET /api/metrics': at('/api/metrics'),
  'GET /api/search': at('/api/search?q=hello'),
  'GET /api/plugins': at('/api/plugins'),
  'GET /api/plugins/events': at('/api/plugins/events'),
  'GET /api/auth/me': at('/api/auth/me'),
  'GET /api/users': at('/api/users'),
  'POST /api/users': at('/api/users', { status: 201, body: { name: 'Ada' } }),
  'POST /api/users/:id/token': async (service) => ({ path: `/api/users/${await newUser(service)}/token` }),
  'DELETE /api/users/:id': async (service) => ({ path: `/api/users/${await newUser(service)}`, status: 204 }),
  'GET /api/tenants': at('/api/tenants'),
  'POST /api/tenants': at('/api/tenants', { status: 201, body: { name: 'Acme' } }),

  'GET /api/sessions': at('/api/sessions'),
  'POST /api/sessions': at('/api/sessions', { status: 201 }),
  'GET /api/sessions/:id': inSession(),
  'PATCH /api/sessions/:id': inSession('', { body: { title: 'Renamed' } }),
  'DELETE /api/sessions/:id': inSession('', { status: 204 }),
  'GET /api/sessions/:id/messages': inSession('/messages'),
  'POST /api/sessions/:id/messages': inSession('/messages', { status: 202, body: { content: 'hello' } }),
  'POST /api/sessions/:id/cancel': inSession('/cancel'),
  'GET /api/sessions/:id/diagnostics': inSession('/diagnostics'),
  'POST /api/sessions/:id/repair': inSession('/repair'),
  'POST /api/sessions/:id/compact': inSession('/compact'),
  'GET /api/sessions/:id/events': inSession('/events'),
  'GET /api/events': at('/api/events'),
  'GET /api/approvals': at('/api/approvals'),

  'GET /api/sessions/:id/images/:hash': async (service) => {
    const session = await afterRun(service, { images: [{ mimeType: 'image/png', data: pixel }] });
    const page = await service.call<{ messages: { images?: { hash: string }[] }[] }>(
      'GET',
      `${session.path}/messages`,
      {},
    );
    return { path: `${session.path}/images/${page.messages[0]?.images?.[0]?.hash}` };
  },
  'POST /api/sessions/:id/resume': async (service) => {
    service.model.add(() => Promise.reject(new Error('the provider is down')));
    return { path: `${(await afterRun(service, {}, 'run.failed')).path}/resume`, status: 202 };
  },
  'POST /api/sessions/:id/rewind': async (service) => {
    const session = await afterRun(service);
    const [first] = (await service.detail(session.id)).messages;
    return { path: `${session.path}/rewind`, body: { messageId: first?.id } };
  },
  'POST /api/sessions/:id/approvals/:approvalId': async (service) => {
    service.model.add({ toolCalls: [callOf('launch')] });
    const session = await afterRun(service, {}, 'approval.requested');
    const { approvals } = await service.call<{ approvals: Approval[] }>('GET', '/api/approvals', {});
    return { path: `${session.path}/approvals/${approvals[0]?.id}`, body: { approved: true } };
  },

  'GET /api/sessions/:id/files': inSession('/files'),
  'GET /api/sessions/:id/file': async (service) => {
    writeFileSync(join(service.workspace, 'a.txt'), 'content');
    return { path: `/api/sessions/${(await service.newSession()).id}/file?path=a.txt` };
  },
  'GET /api/sessions/:id/checkpoints': inSession('/checkpoints'),
  'POST /api/sessions/:id/checkpoints': inSession('/checkpoints', { status: 201 }),
  'POST /api/sessions/:id/checkpoints/:checkpointId/restore': async (service) => ({
    path: `${await newCheckpoint(service)}/restore`,
  }),
  'GET /api/sessions/:id/checkpoints/:checkpointId/diff': async (service) => ({
    path: `${await newCheckpoint(service)}/diff`,
  }),

  'GET /plugins/:id/*': at('/plugins/panel/main.js'),
  'GET /plugins/:id/.sandbox/*': at('/plugins/panel/.sandbox/main.js'),
  'GET /plugin-sandbox.html': at('/plugin-sandbox.html'),
  'GET /*': at('/'),
};

async function newUser(service: TestApp): Promise<string> {
  const { user } = await service.call<IssuedToken>('POST', '/api/users', { status: 201, body: { name: 'Ada' } });
  return user.id;
}

/** The path of a checkpoint. */
async function newCheckpoint(service: TestApp): Promise<string> {
  const path = `/api/sessions/${(await service.newSession()).id}/checkpoints`;
  const { checkpoint } = await service.call<{ checkpoint: Checkpoint }>('POST', path, { status: 201 });
  return `${path}/${checkpoint.id}`;
}

/** A session with one message whose run has come to its end, or to the event given. */
async function afterRun(
  service: TestApp,
  message: object = {},
  until: 'run.finished' | 'run.failed' | 'approval.requested' = 'run.finished',
): Promise<TestSession> {
  const session = await watch(service, (await service.newSession()).id);
  await session.send('hello', message);
  await session.until(until);
  await session.stream.close();
  return session;
}
