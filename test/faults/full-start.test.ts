import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startService } from '../helpers/running-service.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { mountSmallDisk, type SmallDisk } from './small-disk.ts';

const test = suite('A start on a full disk ends with 78 and one line that says so, and goes well once there is room');

const settings = (driver: string, data: string): object => ({
  storage: { driver, directory: data, reserveBytes: 0, minFreeBytes: 0 },
  checkpoints: { enabled: false },
});

for (const [what, driver, left] of [
  ['files', 'file', 0],
  ['a database that lacks the room for a change', 'sqlite', 2],
  ['a database that lacks the room to open', 'sqlite', 0],
] as const)
  test(`of ${what}`, async () => {
    const disk = mountSmallDisk(48);
    if (!disk) return;
    const data = join(disk.directory, 'data');
    try {
      await (await startService({ settings: settings(driver, data) })).stop();
      fillBut(disk, left);
      const { status, stderr } = startOn(disk, driver, data);
      assert.is(status, 78, stderr);
      const isOneLine = /^agent-session-service: [^\n]*(can't be used|cannot be opened)[^\n]*(no space|full)[^\n]*\n$/;
      assert.ok(isOneLine.test(stderr), stderr);
      disk.free();
      await (await startService({ settings: settings(driver, data) })).stop();
    } finally {
      disk.unmount();
    }
  });

test('of a new database, of which nothing stays', () => {
  const disk = mountSmallDisk(6);
  if (!disk) return;
  const data = join(disk.directory, 'data');
  try {
    const { status, stderr } = startOn(disk, 'sqlite', data);
    assert.is(status, 78, stderr);
    const saysWhy = /^agent-session-service: [^\n]*Its disk is full: make room and start again\.\n$/;
    assert.ok(saysWhy.test(stderr), stderr);
    assert.not(existsSync(join(data, 'service.db/postgres.new')));
  } finally {
    disk.unmount();
  }
});

test.run();

/** Leaves so many megabytes. */
function fillBut(disk: SmallDisk, megabytes: number): void {
  const kept = join(disk.directory, 'kept');
  writeFileSync(kept, Buffer.alloc(megabytes * 2 ** 20));
  disk.fill();
  rmSync(kept);
}

function startOn(disk: SmallDisk, driver: string, data: string): { status: number | null; stderr: string } {
  const config = join(tempDirectory(), 'service.config.json');
  writeFileSync(config, JSON.stringify(settings(driver, data)));
  const env = { PATH: process.env.PATH ?? '', SERVICE_CONFIG: config };
  const options = { env, encoding: 'utf8', timeout: 20_000, cwd: disk.directory } as const;
  return spawnSync(process.execPath, [resolve('dist/host/main.js'), '--port', '0'], options);
}
