import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createReserve, systemDisk } from '../../lib/store/reserve.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { failingFiles } from './faulty-files.ts';
import { rejects } from './session-store-contract.ts';

const test = suite('A reserve on the disk is given back once, when that succeeds');

test('one that could not be given back is there for the next who needs it', async () => {
  const directory = tempDirectory();
  const path = join(directory, 'reserve.bin');
  const bytes = 1_000;
  writeFileSync(path, Buffer.alloc(bytes));
  let failing = true;
  const files = failingFiles('EMFILE', ({ operation, path: at }) => failing && operation === 'open' && at === path);
  const reserve = createReserve(files, directory, { bytes, disk: systemDisk });
  await reserve.find();
  await rejects(reserve.spend());
  assert.is(statSync(path).size, bytes);
  failing = false;
  assert.equal([await reserve.spend(), statSync(path).size, await reserve.spend()], [true, 0, false]);
});

test.run();
