import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { handlers } from '../../host/routes.ts';
import { errorOf } from '../helpers/invoke.ts';
import { pixel } from '../helpers/pixel.ts';
import { scriptedModel } from '../helpers/scripted-model.ts';
import type { TestApp } from '../helpers/test-app.ts';
import { withApp } from '../helpers/with-app.ts';

/** Every route that reads a body, with bodies that are wrong and the answer to each. `undefined` is no body at all. */
const wrongBodies: Readonly<Record<string, readonly [body: unknown, answer: string][]>> = {
  'POST /api/sessions': [
    [{ title: 5 }, '400 invalid_title'],
    [{ title: '   ' }, '400 invalid_title'],
    [{ title: 'x'.repeat(201) }, '400 invalid_title'],
    [{ model: 'unknown' }, '400 invalid_model'],
    [{ model: {} }, '400 invalid_model'],
    [{ systemPrompt: [] }, '400 invalid_prompt'],
    [{ systemPrompt: 'x'.repeat(100_001) }, '400 invalid_prompt'],
    [{ workspace: 5 }, '400 invalid_body'],
    [{ workspace: 'relative' }, '400 invalid_body'],
    [{ workspace: '/no/such/place' }, '400 invalid_body'],
  ],
  'PATCH /api/sessions/:id': [
    [{ title: null }, '400 invalid_title'],
    [{ model: 'unknown' }, '400 invalid_model'],
    [{ systemPrompt: 1 }, '400 invalid_prompt'],
  ],
  'POST /api/sessions/:id/messages': [
    [undefined, '400 invalid_message'],
    [{ content: null }, '400 invalid_message'],
    [{ content: ' \n ' }, '400 invalid_message'],
    [{ content: 'x'.repeat(200_001) }, '413 message_too_large'],
    [{ content: 'x', images: {} }, '400 invalid_images'],
    [{ content: 'x', images: [{ mimeType: 'image/svg+xml', data: pixel }] }, '400 invalid_images'],
    [{ content: 'x', images: [{ mimeType: 'image/png', data: 'not base64!' }] }, '400 invalid_images'],
    [{ content: 'x', images: [{ mimeType: 'image/png', data: pixel, name: 'n'.repeat(121) }] }, '400 invalid_images'],
    [{ content: 'x', images: Array(7).fill({ mimeType: 'image/png', data: pixel }) }, '400 invalid_images'],
    [{ content: 'x', images: [{ mimeType: 'image/png', data: base64(4 * 2 ** 20 + 1) }] }, '413 payload_too_large'],
  ],
  'POST /api/sessions/:id/rewind': [
    [undefined, '400 invalid_body'],
    [{ messageId: 5 }, '400 invalid_body'],
    [{ messageId: 'msg_unknown' }, '404 message_not_found'],
    [{ messageId: 'msg_unknown', restoreFiles: 'yes' }, '400 invalid_body'],
  ],
  'POST /api/sessions/:id/approvals/:approvalId': [
    [undefined, '400 invalid_decision'],
    [{ approved: 'yes' }, '400 invalid_decision'],
    [{ approved: true, note: 5 }, '400 invalid_decision'],
    [{ approved: true, note: 'x'.repeat(2_001) }, '400 invalid_decision'],
    [{ approved: true }, '404 approval_not_found'],
  ],
  'POST /api/sessions/:id/checkpoints': [[{ label: 5 }, '400 invalid_body']],
  'POST /api/users': [
    [undefined, '400 invalid_body'],
    [{ name: '' }, '400 invalid_body'],
    [{ name: 'Ada', role: 'king' }, '400 invalid_body'],
    [{ name: 'Ada', tenantId: 'nowhere' }, '404 not_found'],
  ],
  'POST /api/tenants': [
    [undefined, '400 invalid_body'],
    [{ name: 5 }, '400 invalid_body'],
    [{ name: 'Acme', id: 'Not An Id' }, '400 invalid_body'],
  ],
};

/** Routes that change something and are told all they need by their path. */
const bodyless = [
  'POST /api/sessions/:id/cancel',
  'POST /api/sessions/:id/compact',
  'POST /api/sessions/:id/repair',
  'POST /api/sessions/:id/resume',
  'POST /api/sessions/:id/checkpoints/:checkpointId/restore',
  'POST /api/users/:id/token',
];

/** Wrong for every route, before any field is looked at. */
const wrongEverywhere: readonly [name: string, body: string | Uint8Array, answer: string][] = [
  ['half of an object', '{"title":', '400 invalid_json'],
  ['text', 'hello', '400 invalid_json'],
  ['a trailing comma', '{"title":"x",}', '400 invalid_json'],
  ['bytes that are not UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), '400 invalid_json'],
  ['a list', '[]', '400 invalid_body'],
  ['a number', '7', '400 invalid_body'],
  ['a hundred levels', `${'{"a":'.repeat(100)}1${'}'.repeat(100)}`, '400 invalid_body'],
];

const bodies = suite('A body that is wrong is refused with its own code, and changes nothing');

async function answerTo(service: TestApp, route: string, body: unknown): Promise<string> {
  const [method = '', path = ''] = route.split(' ');
  const { id } = await service.newSession();
  const before = await service.call('GET', '/api/sessions', {});
  const target = path.replace(':id', id).replace(/:\w+/g, 'unknown');
  const raw = typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
  const answer = await service.fetch(target, { method, ...(body === undefined ? {} : { body: raw ?? null }) });
  assert.is(answer.headers.get('cache-control'), 'no-store');
  const { status, code, message } = await errorOf(answer);
  assert.ok(message.length > 10);
  assert.equal(await service.call('GET', '/api/sessions', {}), before, 'something changed');
  return `${status} ${code}`;
}

for (const [route, cases] of Object.entries(wrongBodies)) {
  bodies(`${route}: no JSON, no object, too deep`, () =>
    withApp({ models: [scriptedModel()] }, async (service) => {
      for (const [name, body, expected] of wrongEverywhere)
        assert.is(await answerTo(service, route, body), expected, name);
    }),
  );
  for (const [body, expected] of cases)
    bodies(`${route} ${String(JSON.stringify(body)).slice(0, 60)}: ${expected}`, () =>
      withApp({ models: [scriptedModel()] }, async (service) =>
        assert.is(await answerTo(service, route, body), expected),
      ),
    );
}

bodies('every route that takes a body is tried', () => {
  const routes = handlers
    .map(({ route }) => `${route.method} ${route.path}`)
    .filter((route) => /^(POST|PATCH)/.test(route));
  assert.equal([...Object.keys(wrongBodies), ...bodyless].sort(), routes.sort());
});

bodies.run();

const paths = suite('A path or method that is wrong is refused');

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const known = new Map<string, string[]>();
for (const { route } of handlers) known.set(route.path, [...(known.get(route.path) ?? []), route.method]);

for (const [path, own] of known) {
  if (!path.startsWith('/api/')) continue;
  paths(`${path}: 405 with Allow for every other method`, () =>
    withApp({}, async (service) => {
      for (const method of methods.filter((name) => !own.includes(name))) {
        const answer = await service.fetch(path.replace(/:\w+/g, 'x'), { method });
        assert.equal([answer.status, (await errorOf(answer)).code], [405, 'method_not_allowed'], method);
        const allowed = (answer.headers.get('allow') ?? '').split(', ');
        const expected = [...own, ...(own.includes('GET') ? ['HEAD'] : []), 'OPTIONS'];
        assert.equal(allowed.sort(), expected.sort());
      }
    }),
  );
}

paths('a broken percent encoding, a NUL and a path that is too long are bad_path, wherever they stand', () =>
  withApp({}, async (service) => {
    for (const path of [...known.keys()].filter((path) => path.includes(':id') && path.startsWith('/api/')))
      for (const bad of ['%', '%zz', '%E0%A4%A', '%00', 'x'.repeat(5_000)]) {
        const method = known.get(path)?.[0] ?? 'GET';
        const answer = await service.fetch(path.replace(':id', bad).replace(/:\w+/g, 'x'), { method });
        assert.equal(
          [answer.status, (await errorOf(answer)).code],
          [400, 'bad_path'],
          `${method} ${path} ${bad.slice(0, 9)}`,
        );
      }
  }),
);

paths.run();

function base64(bytes: number): string {
  return Buffer.alloc(bytes).toString('base64');
}
