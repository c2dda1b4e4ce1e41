import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tempDirectory } from '../helpers/temp-directory.ts';

const main = resolve('dist/host/main.js');

function run(data: string, ...args: string[]) {
  const env = { PATH: process.env.PATH ?? '', SERVICE_DATA_DIR: data };
  return spawnSync(process.execPath, [main, ...args], { cwd: tempDirectory(), env, encoding: 'utf8', timeout: 30_000 });
}

const test = suite('An export and its accounts');

test('accounts go along when they are asked for, and never over others', async () => {
  const [source, target] = [tempDirectory(), tempDirectory()];
  const file = join(tempDirectory(), 'export.jsonl');
  const accounts = {
    version: 1,
    users: [{ id: 'usr_1', name: 'Ann', tenantId: 'acme', role: 'user', createdAt: 'x', tokenHash: 'ab'.repeat(32) }],
    tenants: [{ id: 'acme', name: 'Acme', createdAt: 'x' }],
  };
  mkdirSync(join(source, 'auth'));
  writeFileSync(join(source, 'auth/accounts.json'), JSON.stringify(accounts));
  assert.is(run(source, 'export', file).status, 0);
  assert.not.match(readFileSync(file, 'utf8'), /tokenHash/);
  assert.match(run(tempDirectory(), 'import', file, '--accounts').stderr, /No accounts were imported/);
  assert.is(run(source, 'export', '--accounts', file).status, 0);
  const kept = join(target, 'auth/accounts.json');
  for (const said of [/, 1 users/, /Its accounts were there already/]) {
    const taken = run(target, 'import', file, '--accounts');
    assert.match(taken.stderr, said);
    assert.equal([taken.status, JSON.parse(readFileSync(kept, 'utf8'))], [0, accounts]);
  }
  const others = JSON.stringify({ ...accounts, users: [{ ...accounts.users[0], id: 'usr_2' }] });
  writeFileSync(kept, others);
  const refused = run(target, 'import', file, '--accounts');
  assert.match(refused.stderr, /line \d+: there are other accounts in the data directory already/);
  assert.equal([refused.status, readFileSync(kept, 'utf8')], [65, others]);
});

test.run();
