import { mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SessionDetail } from '../../lib/wire/session.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import type { TestApp } from '../helpers/test-app.ts';
import { withApp } from '../helpers/with-app.ts';
import { accounts, bearer, bootstrapToken, type Person, person } from './people.ts';

interface Scene {
  app: TestApp;
  ada: Person;
  /** The workspace of tenant a, that of tenant b, and a directory of nobody. */
  own: string;
  theirs: string;
  outside: string;
  /** The status and code, or the workspace of the new session. */
  pin(workspace: string, headers?: Record<string, string>): Promise<string>;
}

function withScene(use: (scene: Scene) => Promise<void>, workspaces: Record<string, string> = {}): Promise<void> {
  return withApp({ env: accounts, settings: { auth: { workspaces } } }, async (app) => {
    const ada = await person(app, { name: 'Ada', tenantId: 'a' });
    const bob = await person(app, { name: 'Bob', tenantId: 'b' });
    const workspaceOf = async ({ headers }: Person) =>
      (await app.call<{ session: SessionDetail }>('POST', '/api/sessions', { status: 201, headers })).session.workspace;
    const [own, theirs, outside] = [await workspaceOf(ada), await workspaceOf(bob), tempDirectory('outside')];
    const pin = async (workspace: string, headers = ada.headers) => {
      const answer = await app.fetch('/api/sessions', { method: 'POST', headers, body: JSON.stringify({ workspace }) });
      const { session, error } = (await answer.json()) as { session?: SessionDetail; error?: { code: string } };
      return session?.workspace ?? `${answer.status} ${error?.code}`;
    };
    await use({ app, ada, own, theirs, outside, pin });
  });
}

const pinning = suite('Who is no administrator may pin only directories inside the workspace of the tenant');

pinning('the workspace itself and what lies below', () =>
  withScene(async ({ own, pin }) => {
    mkdirSync(join(own, 'project/deep'), { recursive: true });
    for (const [asked, given] of [
      [own, own],
      [`${own}/`, own],
      [join(own, 'project'), join(own, 'project')],
      [`${own}/project/../project/deep`, join(own, 'project/deep')],
    ] as const)
      assert.is(await pin(asked), realpathSync(given));
  }),
);

pinning('anywhere, when the workspace of the tenant is the whole machine', () =>
  withScene(async ({ outside, pin }) => assert.is(await pin(outside), realpathSync(outside)), { a: '/' }),
);

pinning('everything else is 403 outside_workspace, whether it is there or not', () =>
  withScene(async ({ own, theirs, outside, pin }) => {
    mkdirSync(`${own}-more`);
    symlinkSync(outside, join(own, 'link'));
    for (const asked of [
      theirs,
      outside,
      `${outside}/not/there`,
      '/',
      join(own, '..'),
      `${own}/../../b/workspace`,
      `${own}-more`,
      join(own, 'link'),
      `${own}/../../../accounts.json`,
    ])
      assert.is(await pin(asked), '403 outside_workspace', asked);
  }),
);

pinning('inside, what is no directory is told: 400', () =>
  withScene(async ({ own, pin }) => {
    assert.is(await pin(join(own, 'not-there')), '400 invalid_body');
    assert.is(await pin('relative'), '400 invalid_body');
  }),
);

pinning('an administrator may pin any directory', () =>
  withScene(async ({ theirs, outside, pin }) => {
    for (const asked of [theirs, outside]) assert.is(await pin(asked, bearer(bootstrapToken)), realpathSync(asked));
  }),
);

pinning('auth.workspaces moves the root of a tenant, also through a link', async () => {
  const real = tempDirectory('mapped');
  const link = join(tempDirectory('links'), 'link');
  symlinkSync(real, link);
  await withScene(
    async ({ own, pin }) => {
      assert.is(own, link);
      mkdirSync(join(real, 'inner'));
      assert.is(await pin(join(link, 'inner')), join(realpathSync(real), 'inner'));
      assert.is(await pin(join(real, 'inner')), join(realpathSync(real), 'inner'));
      assert.is(await pin(join(real, '..')), '403 outside_workspace');
    },
    { a: link },
  );
});

pinning.run();
