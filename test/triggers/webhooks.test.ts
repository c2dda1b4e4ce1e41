import { createHmac } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SessionDetail, SessionSummary } from '../../lib/wire/session.ts';
import { rawRequest } from '../helpers/raw-http.ts';
import { type RunningService, startService } from '../helpers/running-service.ts';
import { within } from '../helpers/within.ts';

const secret = 'a secret of the hook, with ünïcode';
const reference = `\${HOOK_SECRET}`;
const elsewhere = realpathSync(tmpdir());

const settings = {
  server: { token: 'operator-token-of-the-tests' },
  checkpoints: { enabled: false },
  plugins: {
    directories: [],
    config: {
      'demo-model': { enabled: true, delayMs: 0 },
      triggers: {
        webhooks: {
          plain: { title: 'Plain hook', prompt: 'say {{id}} at {{timestamp}}: {{body}} {{unknown}} {{ id }}' },
          private: { prompt: 'say hi', secret: reference },
          open: { prompt: 'say hello', secret: reference, public: true, workspace: elsewhere },
          twice: { prompt: 'say {{body}}{{body}}', secret: reference, public: true },
          signed: {
            prompt: 'say {{body}}',
            secret: reference,
            public: true,
            signature: { header: 'X-Hub-Signature-256' },
          },
          stale: { prompt: 'say hi', model: 'gone', secret: 'plain-secret', public: true },
        },
      },
    },
  },
};

const hooks = suite<{ service: RunningService }>('POST /api/hooks/<id>');

hooks.before(async (context) => {
  context.service = await startService({ settings, env: { HOOK_SECRET: secret } });
});
hooks.after(async ({ service }) => void (await service.stop()));

const operator = { authorization: `Bearer ${settings.server.token}` };
const withSecret = (value: string) => ({ 'x-service-hook-secret': Buffer.from(value, 'utf8').toString('latin1') });

function post(service: RunningService, id: string, headers: Record<string, string>, body?: string | Uint8Array) {
  return within(
    10_000,
    service.fetch(`/api/hooks/${id}`, { method: 'POST', headers, ...(body === undefined ? {} : { body }) }),
  );
}

async function errorOf(response: Response): Promise<string> {
  const { error } = (await response.json()) as { error: { code: string } };
  return `${response.status} ${error.code}`;
}

async function sessions(service: RunningService): Promise<SessionSummary[]> {
  const response = await service.fetch('/api/sessions', { headers: operator });
  return ((await response.json()) as { sessions: SessionSummary[] }).sessions;
}

/** The session that a hook has started. */
async function startedBy(service: RunningService, response: Response): Promise<SessionDetail> {
  assert.is(response.status, 202);
  const { sessionId, runId } = (await response.json()) as { sessionId: string; runId: string };
  assert.match(runId, /^run_/);
  const read = await service.fetch(`/api/sessions/${sessionId}`, { headers: operator });
  return ((await read.json()) as { session: SessionDetail }).session;
}

/** Fails when `act` makes a session. */
async function startsNothing(service: RunningService, act: () => Promise<void>): Promise<void> {
  const before = (await sessions(service)).length;
  await act();
  assert.is((await sessions(service)).length, before);
}

hooks('starts a normal session and run, and answers 202 with both', async ({ service }) => {
  const response = await post(service, 'plain', operator, '{"a": 1}');
  assert.is(response.status, 202);
  const answer = (await response.clone().json()) as Record<string, string>;
  assert.equal(Object.keys(answer), ['hook', 'sessionId', 'runId']);
  assert.is(answer.hook, 'plain');
  const session = await startedBy(service, response);
  assert.is(session.title, 'Plain hook');
  assert.is(session.parentId, undefined);
  const { content = '' } = session.messages[0] ?? {};
  assert.match(content, /^say plain at \d{4}-\d\d-\d\dT[\d:.]+Z: \{"a": 1\} \{\{unknown\}\} \{\{ id \}\}$/);
});

hooks('an absent or blank body counts as {}', async ({ service }) => {
  for (const body of [undefined, '', ' \n']) {
    const session = await startedBy(service, await post(service, 'plain', operator, body));
    assert.match(session.messages[0]?.content ?? '', /Z: \{\} \{\{unknown/);
  }
});

hooks(
  'the body is any JSON and reaches the prompt as it was sent, placeholders in it included',
  async ({ service }) => {
    for (const body of ['"{{id}} {{body}}"', '[1,  2]', 'null', '0', '{"$&": "{{timestamp}} $1 $`"}']) {
      const session = await startedBy(service, await post(service, 'twice', withSecret(secret), body));
      assert.is(session.messages[0]?.content, `say ${body}${body}`);
    }
  },
);

hooks('what is not JSON is refused', async ({ service }) => {
  await startsNothing(service, async () => {
    assert.is(await errorOf(await post(service, 'plain', operator, '{"a":')), '400 invalid_json');
  });
});

hooks('a wrong or missing secret answers 401 and starts nothing', async ({ service }) => {
  const wrong = ['', ' ', 'x', secret.slice(0, -1), `${secret}x`, secret.toUpperCase(), reference];
  await startsNothing(service, async () => {
    assert.is(await errorOf(await post(service, 'open', {}, '{}')), '401 unauthorized');
    assert.is(await errorOf(await post(service, 'private', operator, '{}')), '401 unauthorized');
    for (const value of wrong) {
      assert.is(await errorOf(await post(service, 'open', withSecret(value), '{}')), '401 unauthorized', value);
      assert.is(
        await errorOf(await post(service, 'private', { ...operator, ...withSecret(value) }, '{}')),
        '401 unauthorized',
      );
    }
  });
});

hooks('the right secret twice is not the right secret', async ({ service }) => {
  const headers = ['plain-secret', 'plain-secret'].map((value) => `X-Service-Hook-Secret: ${value}\r\n`).join('');
  await startsNothing(service, async () => {
    const port = Number(new URL(service.url).port);
    const answer = await rawRequest(
      port,
      `POST /api/hooks/stale HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers}Content-Length: 2\r\nConnection: close\r\n\r\n{}`,
    );
    assert.match(answer, /^HTTP\/1\.1 401 /);
  });
});

hooks('the secret is compared before the body is read', async ({ service }) => {
  const port = Number(new URL(service.url).port);
  const head = (id: string) =>
    `POST /api/hooks/${id} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Service-Hook-Secret: no\r\nContent-Length: 1000000\r\n\r\n`;
  for (const id of ['open', 'signed']) assert.match(await rawRequest(port, head(id), '\r\n\r\n'), /^HTTP\/1\.1 401 /);
  assert.is(await errorOf(await post(service, 'open', withSecret('no'), 'not json')), '401 unauthorized');
});

hooks('a public hook needs no other credential, any other needs both', async ({ service }) => {
  const session = await startedBy(service, await post(service, 'open', withSecret(secret)));
  assert.is(session.workspace, elsewhere);
  assert.is((await post(service, 'private', { ...operator, ...withSecret(secret) })).status, 202);
  await startsNothing(service, async () => {
    assert.is(await errorOf(await post(service, 'private', withSecret(secret))), '401 unauthorized');
    assert.is(await errorOf(await post(service, 'plain', {})), '401 unauthorized');
    assert.is(await errorOf(await post(service, 'unknown', withSecret(secret))), '401 unauthorized');
    assert.is(await errorOf(await post(service, 'unknown', operator)), '404 not_found');
  });
});

hooks('a signed body is accepted with the signature of exactly this body', async ({ service }) => {
  const body = '{"push": "main"}';
  const sign = (text: string, key = secret, algorithm = 'sha256') =>
    createHmac(algorithm, key).update(text).digest('hex');
  for (const value of [sign(body), `sha256=${sign(body)}`, `sha256=${sign(body).toUpperCase()}`])
    await startedBy(service, await post(service, 'signed', { 'x-hub-signature-256': value }, body));
  await startsNothing(service, async () => {
    for (const value of [
      ...['', 'sha256=', `sha256=${sign(body).slice(2)}`, `sha512=${sign(body, secret, 'sha512')}`, 'zz'.repeat(32)],
      ...[
        sign(`${body} `),
        sign(body, 'another key'),
        `${sign(body)}, ${sign(body)}`,
        `sha1=${sign(body, secret, 'sha1')}`,
      ],
    ])
      assert.is(
        await errorOf(await post(service, 'signed', { 'x-hub-signature-256': value }, body)),
        '401 unauthorized',
      );
    assert.is(await errorOf(await post(service, 'signed', withSecret(secret), body)), '401 unauthorized');
  });
  const empty = await post(service, 'signed', { 'x-hub-signature-256': sign('') });
  assert.is((await startedBy(service, empty)).messages[0]?.content, 'say {}');
});

hooks('a body of 10 MB is taken as long as the prompt stays a message', async ({ service }) => {
  const large = JSON.stringify('x'.repeat(10_485_760 - 2));
  assert.is((await post(service, 'open', withSecret(secret), large)).status, 202);
  await startsNothing(service, async () => {
    assert.is(await errorOf(await post(service, 'twice', withSecret(secret), large)), '413 message_too_large');
    assert.is(await errorOf(await post(service, 'open', withSecret(secret), `${large} `)), '413 payload_too_large');
  });
});

hooks('a model that is not registered is named in the refusal', async ({ service }) => {
  await startsNothing(service, async () => {
    assert.is(await errorOf(await post(service, 'stale', withSecret('plain-secret'))), '400 invalid_model');
  });
});

hooks('other methods answer 405, a preflight allows the header of the secret', async ({ service }) => {
  assert.is(await errorOf(await service.fetch('/api/hooks/plain', { headers: operator })), '405 method_not_allowed');
  const preflight = await service.fetch('/api/hooks/open', { method: 'OPTIONS' });
  assert.is(preflight.status, 204);
  assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /x-service-hook-secret/i);
});

hooks('administrators see how hooks are protected, nobody sees a secret', async ({ service }) => {
  const text = await (await service.fetch('/api/triggers', { headers: operator })).text();
  const config = await (await service.fetch('/api/config', { headers: operator })).text();
  for (const shown of [text, config, service.output()]) assert.not.ok(/of the hook|plain-secret/.test(shown));
  const { webhooks } = JSON.parse(text) as { webhooks: Record<string, unknown>[] };
  assert.equal(
    webhooks.map(({ id, public: isPublic, protection }) => [id, isPublic, protection]),
    [
      ['plain', false, 'authentication'],
      ['private', false, 'secret'],
      ['open', true, 'secret'],
      ['twice', true, 'secret'],
      ['signed', true, 'signature'],
      ['stale', true, 'secret'],
    ],
  );
  const [plain] = webhooks as { path: string; last: { sessionId: string } }[];
  assert.is(plain?.path, '/api/hooks/plain');
  assert.ok((await sessions(service)).some(({ id }) => id === plain?.last.sessionId));
});

hooks('an administrator starts a hook by hand', async ({ service }) => {
  const run = (id: string, body?: string) =>
    service.fetch(`/api/triggers/${id}/run`, { method: 'POST', headers: operator, ...(body ? { body } : {}) });
  const session = await startedBy(service, await run('twice', '[1]'));
  assert.is(session.messages[0]?.content, 'say [1][1]');
  assert.is(await errorOf(await run('unknown')), '404 not_found');
});

hooks.run();
