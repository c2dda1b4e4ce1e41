import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { codeOf, workspacesIn } from './open-workspace.ts';

const test = suite('A workspace is an absolute directory, pinned or the one of the tenant');

test('it is opened at its real path', async () => {
  const base = tempDirectory();
  await mkdir(join(base, 'inside'));
  await symlink('inside', join(base, 'link'));
  assert.is((await workspacesIn(base).open(join(base, 'link'))).root, join(base, 'inside'));
});

test('anything else is invalid_body and names the field', async () => {
  const base = tempDirectory();
  await writeFile(join(base, 'file'), '');
  for (const directory of ['', '.', 'inside', join(base, 'file'), join(base, 'missing'), 'C:\\x', '/\0'])
    assert.is(await codeOf(workspacesIn(base).open(directory)), 'invalid_body', directory);
});

test('without accounts everybody works in agent.workspace', async () => {
  const base = tempDirectory();
  assert.is(await workspacesIn(base).defaultDirectory('default'), join(base, 'inside'));
});

test('with accounts a tenant has the mapped directory or one of its own below the data root', async () => {
  const base = tempDirectory();
  const workspaces = workspacesIn(base, { accounts: true });
  assert.is(await workspaces.defaultDirectory('mapped'), join(base, 'mapped'));
  assert.is(await workspaces.defaultDirectory('acme'), join(base, 'data/tenants/acme/workspace'));
  assert.is(await workspaces.defaultDirectory('default'), join(base, 'data/tenants/default/workspace'));
  assert.is(
    (await workspaces.open(join(base, 'data/tenants/acme/workspace'))).root,
    join(base, 'data/tenants/acme/workspace'),
  );
  assert.is(await codeOf(workspaces.defaultDirectory('../evil')), 'invalid_body');
  assert.is(await workspaces.defaultDirectory('constructor'), join(base, 'data/tenants/constructor/workspace'));
});

test.run();
