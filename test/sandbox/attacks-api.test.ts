import type { Page, Request } from 'playwright-core';
import * as assert from 'uvu/assert';
import { attackSuite, beside, runAttacks, runIn, token, withControl } from './attack-rig.ts';
import { extension, rootOf, stateOf, stillRuns } from './bundle-folder.ts';

const test = attackSuite('A bundle calls what its grants cover, and nothing else', (bundles, { confined, control }) => {
  const api = ['GET /api/sessions/*'];
  bundles.add('bypasses', calling(bypasses.map((path) => [path])), { web: { api } });
  bundles.add('queries', calling([['/api/sessions?token=stolen&TOKEN=stolen&_method=DELETE&marked=1']]));
  bundles.add('smuggles', calling([['/api/sessions?smuggled=1', { headers: smuggled }]]));
  bundles.add(
    'discovers',
    `export default async (api) => {
        await api.context.request('/api/sessions?activated=1').catch(() => 0);
        api.register({ id: 'x', slot: 'sidebar.footer', async mount(element, context) {
          await context.request('/api/sessions?mounted=1');
          element.textContent = 'mounted';
        } });
      };`,
  );
  bundles.add(
    'streams',
    calling([...Array.from({ length: 12 }, (): [string] => ['/api/events?streamed=1']), ['/api/sessions']]),
  );
  bundles.add('redirected', calling([['/api/elsewhere']]), {
    server: redirecting({ '/api/elsewhere': confined.url, '/api/elsewhere-too': control.url }),
  });
  const approve = calling([['/api/sessions/x/approvals/y', { method: 'POST', body: '{"approved":true}' }]]);
  bundles.add('approves', approve);
  bundles.add('may-approve', approve, { web: { api: ['POST /api/sessions/*/approvals/*'] } });
});

/** Tries calls one after the other and writes down how each went. */
const calling = (calls: readonly [path: string, init?: object][]) =>
  extension(`const results = [];
    for (const [path, init] of ${JSON.stringify(calls)})
      results.push(await context.request(path, init).then((body) => 'done: ' + JSON.stringify(body), (error) => (error.status ?? '') + ' ' + error.message));
    element.textContent = 'called ' + JSON.stringify(results);`);

const bypasses = [
  ...[
    '/api/sessions/../config',
    '/api/sessions/x/../../config',
    '/api/sessions/%2e%2e/config',
    '/api/sessions/%252e%252e/config',
  ],
  ...[
    '/api/sessions/..%2fconfig',
    '/api/sessions/..\\config',
    '//control.localhost/api/sessions/x',
    'http://control.localhost/api/sessions/x',
  ],
  ...[
    '/api/sessions/x;p=1',
    '/api/sessions/x/',
    '/API/sessions/x',
    '/api/sessions/x%00',
    '/api/sessions/%c0%ae%c0%ae/config',
  ],
  ...[
    '/api/sess\tions/x',
    '/api/sessions/\nx',
    '/api/sessions/x#y',
    '/api/sessions//x',
    '/api/config',
    '/api/sessions',
    'api/sessions/x',
  ],
];
const smuggled = {
  Authorization: 'Bearer stolen',
  Cookie: 'a=b',
  'X-HTTP-Method-Override': 'DELETE',
  'X-Method-Override': 'DELETE',
  'X-Forwarded-For': '10.0.0.1',
  'Sec-Fetch-Site': 'same-origin',
  Origin: 'http://evil.test',
  'Proxy-Authorization': 'x',
  'X-Own': 'mine',
};
const redirecting = (to: Record<string, string>) => `export default { apply({ use }) {
  for (const [path, to] of Object.entries(${JSON.stringify(to)}))
    use('http.routes').register({ method: 'GET', path, public: true, handler: () => ({ status: 302, headers: { location: to + 'redirected' } }) });
} };`;

async function resultsOf(page: Page, name: string): Promise<string[]> {
  const root = rootOf(page, name).filter({ hasText: 'called' });
  await root.waitFor({ timeout: 40_000 });
  return JSON.parse((await root.innerText()).replace('called ', ''));
}

test('grant bypass: `../` in any encoding, other hosts, parameters, empty segments, other spellings', async (rig) => {
  await beside(rig, ['bypasses'], async (page) => {
    const results = await resultsOf(page, 'bypasses');
    for (const [at, path] of bypasses.entries()) assert.match(results[at] ?? '', /may not call/, JSON.stringify(path));
  });
  for (const path of bypasses.slice(0, 3)) {
    const response = await rig.bench.service.fetch(path, { headers: { authorization: `Bearer ${token}` } });
    const { config } = (await response.json()) as { config?: object };
    assert.ok(config, `${path} would have reached the configuration`);
  }
});

test('query tricks: a token is dropped, a method in the query is plain data', async (rig) => {
  const kept = await rig.bench.newSession('kept');
  await beside(rig, ['queries'], async (page) => {
    const asked = requestWith(page, 'marked=1');
    assert.match((await resultsOf(page, 'queries'))[0] ?? '', /^done/);
    const request = await asked;
    assert.is(new URL(request.url()).search, '?_method=DELETE&marked=1');
    assert.is(request.method(), 'GET');
  });
  await withControl(rig, async (page) => {
    await runIn(page, rig, { code: `await fetch(foreign + 'asked?token=stolen&_method=DELETE')` });
    assert.ok(rig.foreign.control.heard.includes('/asked?token=stolen&_method=DELETE'));
  });
  assert.is((await rig.bench.service.client.readSession(kept)).session.id, kept);
});

test('header smuggling: the credential is ours, methods and origins can not be overridden', async (rig) => {
  await beside(rig, ['smuggles'], async (page) => {
    const asked = requestWith(page, 'smuggled=1');
    assert.match((await resultsOf(page, 'smuggles'))[0] ?? '', /^done/);
    const headers = await (await asked).allHeaders();
    assert.is(headers.authorization, `Bearer ${token}`);
    assert.is(headers['x-own'], 'mine');
    const own = Object.keys(smuggled)
      .map((name) => name.toLowerCase())
      .filter((name) => /^(cookie|x-http|x-method|x-forwarded|origin|proxy)/.test(name));
    assert.equal(
      own.filter((name) => name in headers),
      [],
    );
  });
  await withControl(rig, async (page) => {
    await runIn(page, rig, { code: `await fetch(foreign + 'smuggled', { headers: ${JSON.stringify(smuggled)} })` });
    const headers = rig.foreign.control.headers.get('/smuggled') ?? {};
    assert.is(headers.authorization, 'Bearer stolen');
    for (const name of ['x-http-method-override', 'x-method-override', 'x-forwarded-for'])
      assert.ok(headers[name], name);
  });
});

test('calls while it is discovered: refused, and none is made', (rig) =>
  beside(rig, ['discovers'], async (page) => {
    const seen: string[] = [];
    page.on('request', (request) => seen.push(new URL(request.url()).search));
    await rootOf(page, 'discovers').filter({ hasText: 'mounted' }).waitFor({ timeout: 40_000 });
    assert.equal(
      seen.filter((query) => /activated|mounted/.test(query)),
      ['?activated=1', '?mounted=1'],
      'both by the frame that is mounted',
    );
  }));

test('event streams: refused at once, so that they hold no connection', async (rig) => {
  await beside(rig, ['streams'], async (page) => {
    const results = await resultsOf(page, 'streams');
    for (const result of results.slice(0, 12)) assert.match(result, /JSON only/);
    assert.match(results[12] ?? '', /^done/);
    await stillRuns(page, 'neighbour');
  });
  await withControl(rig, async (page) => {
    const code = `const { body } = await fetch(endpoint + '/api/events?token=${token}');
      const reader = body.getReader();
      const end = (async () => { while (!(await reader.read()).done); return 'ended'; })();
      return await Promise.race([end, wait(1000).then(() => 'held')]);`;
    assert.is(await runIn(page, rig, { code }), 'done: held');
  });
});

test('redirects to another host: not followed', async (rig) => {
  await beside(rig, ['redirected'], async (page) => {
    assert.not.match((await resultsOf(page, 'redirected'))[0] ?? '', /^done/);
  });
  assert.equal(rig.foreign.confined.heard, []);
  await withControl(rig, async (page) => {
    await runIn(page, rig, { code: `await fetch(endpoint + '/api/elsewhere-too')` });
    assert.ok(rig.foreign.control.heard.includes('/redirected'));
  });
});

test('approving by itself: denied by default; a manifest that asks for it is marked in red', (rig) =>
  beside(rig, ['approves', 'may-approve'], async (page) => {
    assert.match(
      (await resultsOf(page, 'approves'))[0] ?? '',
      /may not call POST \/api\/sessions\/x\/approvals\/y: no matching grant in web\.api/,
    );
    await page.evaluate(`location.hash = '#/settings/plugins'`);
    await page
      .locator('[data-plugin="may-approve"] .grant-words .problem', { hasText: 'approve in your name' })
      .waitFor();
    await stateOf(page, 'approves', 'ready').waitFor();
    assert.is(await page.locator('[data-plugin="approves"] .grant-words .problem').count(), 0);
    assert.match((await resultsOf(page, 'may-approve'))[0] ?? '', /^404 /, 'with the grant it arrives');
    await page.locator('[data-plugin="approves"] summary', { hasText: '1 call refused' }).waitFor();
  }));

function requestWith(page: Page, part: string): Promise<Request> {
  return page.waitForRequest((request) => request.url().includes(part), { timeout: 40_000 });
}

runAttacks(test);
