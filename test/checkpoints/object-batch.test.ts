import { closeSync, existsSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createObjectBatch } from '../../lib/checkpoints/object-batch.ts';
import { createPackWriter } from '../../lib/checkpoints/pack-file.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';

const test = suite('Objects that could not be published leave nothing open and nothing behind');

test('a pack that can not take its place is given up with the reason, and its file is closed once', () => {
  const directory = tempDirectory('objects');
  const incoming = join(directory, 'incoming');
  // A file where the packs belong: the pack is written whole, and can not be moved.
  writeFileSync(join(directory, 'pack'), 'in the way');
  const batch = createObjectBatch({
    objects: directory,
    incoming,
    durable: false,
    has: () => false,
    packAdded: () => assert.unreachable('nothing was published'),
  });
  for (let number = 0; number < 250; number += 1) batch.add('blob', Buffer.from(`content ${number}`));
  assert.throws(() => batch.finish(), /EEXIST/);
  // Takes the number of the descriptor that the pack had, as any thread of the process may.
  const other = openSync(directory, 'r');
  batch.abort();
  closeSync(other);
  assert.is(existsSync(incoming), false);
});

test('an abort after the end closes nothing', () => {
  const directory = tempDirectory('pack');
  const writer = createPackWriter(join(directory, 'pack'));
  writer.add('0'.repeat(40), 'blob', Buffer.from('content'));
  writer.finish();
  const other = openSync(directory, 'r');
  writer.abort();
  closeSync(other);
});

test.run();
