import { spawnSync } from 'node:child_process';
import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { fileStore } from '../store/file-rig.ts';
import { author, sampleMessage } from '../store/sample.ts';
import { noResidents } from '../store/session-store-contract.ts';

const output = suite('Where an export goes');
const main = resolve('dist/host/main.js');

function run(data: string, ...args: string[]) {
  const env = { PATH: process.env.PATH ?? '', SERVICE_DATA_DIR: data };
  return spawnSync(process.execPath, [main, ...args], { cwd: data, env, encoding: 'utf8', timeout: 30_000 });
}

output('an export that can not be written says so in one line, ends with 74 and leaves nothing', () => {
  const data = tempDirectory();
  const folder = tempDirectory();
  assert.is(run(data, 'export').status, 0);
  for (const file of [join(folder, 'missing/export.jsonl'), folder]) {
    const { status, stderr } = run(data, 'export', file);
    assert.is(status, 74, stderr);
    assert.match(stderr.trim(), /^agent-session-service: The export can't be written to .*\.$/);
  }
  assert.equal(readdirSync(folder), []);
});

output(
  'what is no regular file is written to and not replaced; full is a failure there, and for standard output',
  () => {
    const data = tempDirectory();
    // A device, under a name that may be lost when the test fails.
    const full = join(tempDirectory(), 'full');
    if (
      spawnSync('mknod', [full, 'c', '1', '7']).status !== 0 ||
      spawnSync('dd', ['if=/dev/zero', `of=${full}`, 'count=1']).status === 0
    )
      return console.log('SKIPPED the full device: none can be made here');
    assert.is(run(data, 'export', full).status, 74);
    assert.ok(statSync(full).isCharacterDevice());
    const output = openSync(full, 'w');
    const env = { PATH: process.env.PATH ?? '', SERVICE_DATA_DIR: data };
    const told = spawnSync(process.execPath, [main, 'export'], { env, cwd: data, stdio: ['ignore', output, 'pipe'] });
    closeSync(output);
    assert.is(told.status, 74, String(told.stderr));
    assert.match(String(told.stderr), /can't be written to standard output: ENOSPC/);
  },
);

output('a link to an earlier export stays, and what it points to is replaced', () => {
  const data = tempDirectory();
  const folder = tempDirectory();
  const [link, file] = [join(folder, 'latest'), join(folder, 'export.jsonl')];
  writeFileSync(file, 'the one before');
  symlinkSync(file, link);
  assert.is(run(data, 'export', link).status, 0);
  assert.is(readlinkSync(link), file);
  assert.match(readFileSync(file, 'utf8'), /^\{"kind":"export"/);
  assert.equal(readdirSync(folder).sort(), ['export.jsonl', 'latest']);
});

output('an image that is lost is told of, and everything else is exported', async () => {
  const data = tempDirectory();
  const session = author();
  const store = fileStore(data);
  await store.open(noResidents);
  await store.commit(session.create({ messageCount: 1 }));
  const image = { mimeType: 'image/png', ...(await store.putImage('default', session.id, 'AAEC')) } as const;
  const { hash } = image;
  await store.commit(session.append(sampleMessage('look', { images: [image, { ...image, hash: '0'.repeat(64) }] })));
  await store.close();
  const { status, stdout, stderr } = run(data, 'export');
  assert.is(status, 65);
  assert.match(stderr, /1 sessions with 1 messages and 1 images .*\n1 images are left out: they could not be read/s);
  assert.match(stdout, new RegExp(`"kind":"image","session":"${session.id}","hash":"${hash}"`));
  assert.match(stdout, /"kind":"end","sessions":1,"images":1,"messages":1/);
});

output('a session that the start has to set aside is told of, and every other one is exported', async () => {
  const data = tempDirectory();
  const [kept, damaged] = [author(), author()];
  const store = fileStore(data);
  await store.open(noResidents);
  for (const each of [kept, damaged]) await store.commit(each.create());
  await store.close();
  rmSync(join(data, 'index.json'));
  writeFileSync(join(data, 'sessions', `${damaged.id}.json`), 'no snapshot');
  const { status, stdout, stderr } = run(data, 'export');
  assert.is(status, 65, stderr);
  assert.match(stderr, `${damaged.id} is left out`);
  assert.match(stderr, '1 sessions could not be read.');
  assert.match(stdout, `"id":"${kept.id}"`);
});

output.run();
