import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createToken } from '../../lib/auth/tokens.ts';
import { systemClock } from '../../lib/base/clock.ts';
import { scriptedModel } from '../helpers/scripted-model.ts';
import { createTestApp, type TestApp } from '../helpers/test-app.ts';
import { calls, contractAccess, type Row, rowsOf } from './cells.ts';
import { accounts, bearer, bootstrapToken, type Person, person, sessionOf } from './people.ts';

type Mode = 'none' | 'token' | 'accounts';
type Outcome = 'served' | 'unauthorized' | 'forbidden' | 'no such session';

/** Whoever sends a request, and what a route of each kind must say. */
interface Principal {
  name: string;
  headers?: Record<string, string>;
  queryToken?: string;
  /** For a route that needs a credential. */
  expect(row: Row): Outcome;
}

const everywhere = (outcome: Outcome) => () => outcome;
const adminOnly = (row: Row): Outcome => (row.access === 'admin' ? 'forbidden' : 'served');
const elsewhere = (rest: (row: Row) => Outcome) => (row: Row) => (row.ofSession ? 'no such session' : rest(row));
const onlyGet = (rest: (row: Row) => Outcome) => (row: Row) => (row.method === 'GET' ? rest(row) : 'unauthorized');
/** Nobody waits for the 401 after many wrong tokens. */
const hasty = {
  ...systemClock,
  after(ms: number, fn: () => void) {
    if (ms > 2_000) return systemClock.after(ms, fn);
    const soon = setImmediate(fn);
    return () => clearImmediate(soon);
  },
};
/** Well-formed, so that no slow hash is asked about it. */
const wrongToken = createToken();
const operator = 'operator-token-of-the-matrix';

/** A service whose session belongs to tenant `a` in mode accounts, and everybody who may come along. */
async function stage(mode: Mode) {
  const env: Record<string, string> =
    mode === 'accounts' ? accounts : mode === 'token' ? { SERVICE_TOKEN: operator } : {};
  const settings = { plugins: { directories: [], config: {} }, server: { overloadLagMs: 0 } };
  const app = await createTestApp({ env, settings, bundled: true, clock: hasty, models: [scriptedModel()] });
  app.app.routes.register({ method: 'GET', path: '/api/of-plugin/:x', handler: () => ({ body: {} }) }, 'test');
  app.app.routes.register(
    { method: 'POST', path: '/api/of-plugin/:x', public: true, handler: () => ({ body: {} }) },
    'test',
  );
  const admin = bearer(mode === 'accounts' ? bootstrapToken : operator);
  const user = await person(app, { name: 'User', tenantId: 'a' }, admin);
  const other = await person(app, { name: 'Other', tenantId: 'b' }, admin);
  const ownAdmin = await person(app, { name: 'Own administrator', tenantId: 'a', role: 'admin' }, admin);
  const gone = await person(app, { name: 'Deleted', tenantId: 'a' }, admin);
  const rotated = await person(app, { name: 'Rotated', tenantId: 'a' }, admin);
  await app.call('DELETE', `/api/users/${gone.user.id}`, { status: 204, headers: admin });
  await app.call('POST', `/api/users/${rotated.user.id}/token`, { headers: admin });
  return { app, admin, people: { user, other, ownAdmin, gone, rotated } };
}

type People = Awaited<ReturnType<typeof stage>>['people'];

function principals(mode: Mode, { user, other, ownAdmin, gone, rotated }: People): Principal[] {
  const inAccounts = mode === 'accounts';
  const right = mode === 'token' ? operator : bootstrapToken;
  /** Tokens of users mean nothing before the mode is accounts; in mode none no credential does. */
  const only = (expect: (row: Row) => Outcome) =>
    mode === 'none' ? everywhere('served') : inAccounts ? expect : everywhere('unauthorized');
  const refused = mode === 'none' ? everywhere('served') : everywhere('unauthorized');
  const administrator = inAccounts ? elsewhere(everywhere('served')) : everywhere('served');
  const queryToken = (token: string, expect: (row: Row) => Outcome): Pick<Principal, 'queryToken' | 'expect'> => ({
    queryToken: token,
    expect: mode === 'none' ? everywhere('served') : onlyGet(expect),
  });
  return [
    { name: 'no credential', expect: refused },
    { name: 'wrong token', headers: bearer(wrongToken), expect: refused },
    { name: 'wrong scheme', headers: { authorization: `Basic ${right}` }, expect: refused },
    { name: 'administrator', headers: bearer(right), expect: administrator },
    { name: 'administrator of the tenant', headers: ownAdmin.headers, expect: only(everywhere('served')) },
    { name: 'user', headers: user.headers, expect: only(adminOnly) },
    { name: 'user of another tenant', headers: other.headers, expect: only(elsewhere(adminOnly)) },
    { name: 'deleted user', headers: gone.headers, expect: refused },
    { name: 'token from before a rotation', headers: rotated.headers, expect: refused },
    { name: 'administrator by query', ...queryToken(right, administrator) },
    { name: 'user by query', ...queryToken(user.token, only(adminOnly)) },
    { name: 'wrong token by query', ...queryToken(wrongToken, everywhere('unauthorized')) },
    { name: 'wrong header, right query', headers: bearer(wrongToken), queryToken: right, expect: refused },
  ];
}

const declared = suite('What needs no credential, and what needs an administrator, is what the contract says');

declared('every other route is for any user', async () => {
  const { app } = await stage('none');
  const rows = rowsOf(app.app);
  await app.close();
  for (const access of ['public', 'admin'] as const) {
    const listed = contractAccess[access];
    for (const row of rows) {
      const name = `${row.method} ${row.path}`;
      assert.is(row.access === access, listed.includes(name), `${name} is ${row.access}`);
    }
  }
});

declared.run();

let cells = 0;

for (const mode of ['none', 'token', 'accounts'] as const) {
  const matrix = suite(`Every route in mode ${mode} answers every principal as its access says`);
  matrix('no cell is left out', async () => {
    const { app, admin, people } = await stage(mode);
    const owner: Person = mode === 'accounts' ? people.user : { ...people.user, headers: admin };
    const { session } = await app.call<{ session: { workspace: string } }>('POST', '/api/sessions', {
      status: 201,
      headers: owner.headers,
    });
    writeFileSync(join(session.workspace, 'hello.txt'), 'hello');
    const rows = rowsOf(app.app);
    const wrong: string[] = [];
    for (const row of rows)
      for (const principal of principals(mode, people)) {
        const url = await urlOf(app, { row, owner, admin });
        const expected = row.access === 'public' ? 'served' : principal.expect(row);
        const found = await ask(app, row, { principal, url });
        cells += 1;
        if (found !== expected) wrong.push(`${row.method} ${row.path} to ${principal.name}: ${found}, not ${expected}`);
      }
    await app.close();
    assert.equal(wrong, []);
    assert.ok(rows.length > 40);
    if (mode === 'accounts')
      console.log(`\nFIGURE ${cells} cells asserted: ${rows.length} routes, every kind of caller, three modes`);
  });
  matrix.run();
}

/** The path of the row with a session, user, or anything else that is there for this cell alone. */
async function urlOf(
  app: TestApp,
  { row, owner, admin }: { row: Row; owner: Person; admin: Record<string, string> },
): Promise<string> {
  let id = 'any';
  if (row.ofSession) id = (await sessionOf(app, owner)).id;
  if (row.path.startsWith('/api/users/:id')) id = (await person(app, { name: 'For this cell' }, admin)).user.id;
  return row.path.replace(':id', id).replace(/:\w+/g, 'any').replace(/\*$/, 'any.file');
}

async function ask(
  app: TestApp,
  row: Row,
  { principal, url }: { principal: Principal; url: string },
): Promise<Outcome | string> {
  const { body, query = '', answers } = calls[`${row.method} ${row.path}`] ?? {};
  const token = principal.queryToken === undefined ? '' : `token=${principal.queryToken}`;
  const search = [query, token].filter(Boolean).join('&');
  const abort = new AbortController();
  const response = await app.fetch(`${url}${search && `?${search}`}`, {
    method: row.method,
    headers: principal.headers ?? {},
    signal: abort.signal,
    ...(row.method === 'GET' ? {} : { body: JSON.stringify(body ?? {}) }),
  });
  const isStream = response.headers.get('content-type') === 'text/event-stream';
  const text = isStream ? '' : await response.text();
  abort.abort();
  if (isStream) await response.body?.cancel();
  const code = response.ok || text === '' ? '' : String(JSON.parse(text).error?.code);
  if (response.status === 401 && code === 'unauthorized' && row.access !== 'public') return 'unauthorized';
  if (response.status === 403 && code === 'forbidden') return 'forbidden';
  if (response.status === 404 && code === 'session_not_found') return 'no such session';
  if (answers?.includes(response.status) ?? response.ok) return 'served';
  return `${response.status} ${code} (say in cells.ts how to call it)`;
}
