import { link, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Workspace } from '../../lib/workspace/workspace.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { codeOf, openWorkspace, pathsOf, workspacesIn } from './open-workspace.ts';

const test = suite('The files of the store are invisible, also when the data root lies in the workspace');

/** The default layout: `.service` inside the workspace. */
async function defaultLayout(): Promise<{ base: string; workspace: Workspace }> {
  const base = tempDirectory('own');
  const data = join(base, 'inside/.service');
  for (const directory of [
    'sessions',
    'tenants/acme/sessions',
    'tenants/acme/workspace',
    'auth',
    'blobs',
    'skills/deploy',
  ])
    await mkdir(join(data, directory), { recursive: true });
  const files = ['sessions/s.json', 'tenants/acme/sessions/s.json', 'auth/accounts.json', 'blobs/aa', 'log'];
  for (const file of [...files, 'memory.json', 'skills/deploy/SKILL.md', 'tenants/acme/workspace/a.txt'])
    await writeFile(join(data, file), 'content');
  return { base, workspace: await workspacesIn(base, { data }).open(join(base, 'inside')) };
}

const hidden = [
  'sessions',
  'sessions/s.json',
  'tenants/acme/sessions',
  'tenants/acme/sessions/s.json',
  'auth/accounts.json',
  'blobs/aa',
  'log',
];

test('reading and listing them answers not_found', async () => {
  const { workspace } = await defaultLayout();
  for (const path of hidden) {
    assert.is(await codeOf(workspace.read(`.service/${path}`)), 'not_found', `read ${path}`);
    assert.is(await codeOf(workspace.list(`.service/${path}`)), 'not_found', `list ${path}`);
  }
});

test('the listing and the walk leave them out and show what belongs to people', async () => {
  const { workspace } = await defaultLayout();
  const names = (await workspace.list('.service')).entries.map((entry) => entry.name);
  assert.equal(names, ['skills', 'tenants', 'memory.json']);
  assert.equal(
    (await workspace.list('.service/tenants/acme')).entries.map((entry) => entry.name),
    ['workspace'],
  );
  assert.equal(await pathsOf(workspace.walk('.', { signal: AbortSignal.timeout(5_000) })), [
    '.service/memory.json',
    '.service/skills/deploy/SKILL.md',
    '.service/tenants/acme/workspace/a.txt',
  ]);
  assert.is((await workspace.read('.service/memory.json')).content, 'content');
});

test('links to them are invisible too', async () => {
  const { base, workspace } = await defaultLayout();
  await symlink('.service/auth/accounts.json', join(base, 'inside/accounts'));
  await symlink('.service/sessions', join(base, 'inside/chats'));
  await symlink('chats', join(base, 'inside/again'));
  assert.is(await codeOf(workspace.read('accounts')), 'not_found');
  assert.is(await codeOf(workspace.list('chats')), 'not_found');
  assert.is(await codeOf(workspace.read('again/s.json')), 'not_found');
  assert.equal(
    (await workspace.list('.')).entries.map((entry) => entry.name),
    ['.service'],
  );
});

test('nothing is written over them, beside them or through a link', async () => {
  const { base, workspace } = await defaultLayout();
  await symlink('.service/sessions', join(base, 'inside/chats'));
  await symlink('.service/auth/accounts.json', join(base, 'inside/accounts'));
  for (const path of hidden)
    assert.ok(['forbidden', 'not_found'].includes(await codeOf(workspace.write(`.service/${path}`, 'x'))), path);
  for (const path of [
    '.service/sessions/new.json',
    '.service/lock',
    '.service/service.db/x/y',
    'chats/new.json',
    'accounts',
  ])
    assert.ok(['forbidden', 'not_found'].includes(await codeOf(workspace.write(path, 'x'))), path);
  assert.is(await codeOf(workspace.write('.service/memory.json', '[]')), 'none');
});

test('another letter case is no way in', async () => {
  const { base, workspace } = await defaultLayout();
  await mkdir(join(base, 'inside/.service/Auth'));
  await writeFile(join(base, 'inside/.service/Auth/accounts.json'), 'content');
  assert.is(await codeOf(workspace.read('.service/Auth/accounts.json')), 'not_found');
  assert.is(await codeOf(workspace.write('.service/SESSIONS/s.json', 'x')), 'forbidden');
});

test('a workspace that is one of them can not be opened', async () => {
  const { base } = await defaultLayout();
  const data = join(base, 'inside/.service');
  const workspaces = workspacesIn(base, { data });
  assert.is(await codeOf(workspaces.open(join(data, 'sessions'))), 'invalid_body');
  assert.is(await codeOf(workspaces.open('/proc/self')), 'invalid_body');
  assert.is((await workspaces.open(join(data, 'tenants/acme/workspace'))).root, join(data, 'tenants/acme/workspace'));
});

test('a data root that is reached through a link hides the same', async () => {
  const base = tempDirectory('own-link');
  await mkdir(join(base, 'inside/real/auth'), { recursive: true });
  await writeFile(join(base, 'inside/real/auth/accounts.json'), 'content');
  await symlink('real', join(base, 'inside/.service'));
  const workspace = await workspacesIn(base, { data: join(base, 'inside/.service') }).open(join(base, 'inside'));
  assert.is(await codeOf(workspace.read('real/auth/accounts.json')), 'not_found');
  assert.is(await codeOf(workspace.read('.service/auth/accounts.json')), 'not_found');
});

test('the whole machine excludes them as well, and the environment of this process', async () => {
  const { base, workspace } = await defaultLayout();
  const machine = workspace.wholeMachine();
  assert.is(await codeOf(machine.read(join(base, 'inside/.service/auth/accounts.json').slice(1))), 'not_found');
  assert.is(await codeOf(machine.read('proc/self/environ')), 'not_found');
  assert.is((await machine.read(join(base, 'inside/.service/memory.json').slice(1))).content, 'content');
});

test('a sibling whose name only begins the same is visible', async () => {
  const base = tempDirectory('own-sibling');
  await mkdir(join(base, 'inside/sessions-notes'), { recursive: true });
  await writeFile(join(base, 'inside/logs.txt'), 'x');
  const workspace = await workspacesIn(base, { data: join(base, 'inside') }).open(join(base, 'inside'));
  assert.equal(
    (await workspace.list('.')).entries.map((entry) => entry.name),
    ['sessions-notes', 'logs.txt'],
  );
});

test('without a data root inside, nothing is hidden', async () => {
  const base = tempDirectory('own-none');
  await mkdir(join(base, 'inside/sessions'), { recursive: true });
  await writeFile(join(base, 'inside/log'), 'x');
  await link(join(base, 'inside/log'), join(base, 'inside/sessions/log'));
  const workspace = await openWorkspace(base);
  assert.equal(
    (await workspace.list('.')).entries.map((entry) => entry.name),
    ['sessions', 'log'],
  );
  assert.is((await workspace.read('sessions/log')).content, 'x');
});

test.run();
