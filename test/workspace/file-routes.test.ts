import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { TestApp } from '../helpers/test-app.ts';
import { withApp } from '../helpers/with-app.ts';

const test = suite('GET /files and /file show the workspace of a session, read-only');

function withSessionFiles(use: (get: (route: string) => Promise<Answer>, app: TestApp, id: string) => Promise<void>) {
  return withApp({}, async (app) => {
    mkdirSync(join(app.workspace, 'src'));
    writeFileSync(join(app.workspace, 'src/a b+c.ts'), 'let a;\n');
    writeFileSync(join(app.workspace, 'README.md'), '# Hi\n');
    symlinkSync('/etc', join(app.workspace, 'etc'));
    const { id } = await app.newSession();
    await use(async (route) => answer(await app.fetch(`/api/sessions/${id}/${route}`)), app, id);
  });
}

interface Answer {
  status: number;
  body: { error?: { code: string }; path?: string; entries?: { name: string }[]; content?: string };
  cache: string | null;
}

async function answer(response: Response): Promise<Answer> {
  return {
    status: response.status,
    body: (await response.json()) as Answer['body'],
    cache: response.headers.get('cache-control'),
  };
}

test('the root, a directory, a file', () =>
  withSessionFiles(async (get) => {
    for (const route of ['files', 'files?path=', 'files?path=.', 'files?path=src%2F..']) {
      const { status, body } = await get(route);
      assert.is(status, 200, route);
      assert.is(body.path, '.');
      assert.equal(
        body.entries?.map((entry) => entry.name),
        ['src', 'README.md'],
      );
    }
    assert.is((await get('file?path=README.md')).body.content, '# Hi\n');
    for (const path of ['src/a%20b%2Bc.ts', 'src/a+b%2bc.ts', './src//a%20b%2Bc.ts'])
      assert.is((await get(`file?x=1&path=${path}&token=x`)).body.content, 'let a;\n', path);
  }));

test('each refusal has the code of its kind', () =>
  withSessionFiles(async (get) => {
    for (const [route, status, code] of [
      ['file', 400, 'invalid_path'],
      ['file?path=', 400, 'invalid_path'],
      ['file?path=src', 400, 'invalid_path'],
      ['files?path=README.md', 400, 'invalid_path'],
      ['file?path=/etc/passwd', 400, 'invalid_path'],
      ['file?path=%2Fetc%2Fpasswd', 400, 'invalid_path'],
      ['file?path=%', 400, 'bad_path'],
      ['file?path=%zz', 400, 'bad_path'],
      ['file?path=%c3%28', 400, 'bad_path'],
      ['file?path=a%00b', 400, 'bad_path'],
      [`files?path=${'a'.repeat(4_097)}`, 400, 'bad_path'],
      ['file?path=..', 403, 'outside_workspace'],
      ['file?path=%2e%2e%2f%2e%2e%2fetc%2fpasswd', 403, 'outside_workspace'],
      ['file?path=etc/passwd', 403, 'outside_workspace'],
      ['files?path=etc', 403, 'outside_workspace'],
      ['file?path=nothing', 404, 'not_found'],
      ['files?path=nothing', 404, 'not_found'],
    ] as const) {
      const { status: actual, body, cache } = await get(route);
      assert.equal([actual, body.error?.code, cache], [status, code, 'no-store'], route.slice(0, 60));
    }
  }));

test('an unknown session and a workspace that is gone', () =>
  withSessionFiles(async (get, app) => {
    const { status, body } = await answer(await app.fetch('/api/sessions/ses_nope/files'));
    assert.equal([status, body.error?.code], [404, 'session_not_found']);
    rmSync(app.workspace, { recursive: true });
    const gone = await get('files');
    assert.equal([gone.status, gone.body.error?.code], [404, 'not_found']);
  }));

test('nothing but reading', () =>
  withSessionFiles(async (_, app, id) => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const { status, body } = await answer(await app.fetch(`/api/sessions/${id}/file?path=README.md`, { method }));
      assert.equal([status, body.error?.code], [405, 'method_not_allowed'], method);
    }
  }));

test.run();
