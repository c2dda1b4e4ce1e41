import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemFiles } from '../../lib/store/file-port.ts';
import { documentChunks, readDocument } from '../../lib/store/line-document.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';

const test = suite('A document of lines reads back as it was written');

test('whatever its items are, and however long', async () => {
  const directory = tempDirectory();
  const path = join(directory, 'document.json');
  // Around the 128 KB that are parsed together, with letters that look like ends of lines and of lists.
  const long = fc
    .tuple(fc.constantFrom('x', ',\n', '],"crc32":"', 'ü', '😀'), fc.integer({ min: 1_000, max: 70_000 }))
    .map(([letters, times]) => letters.repeat(times).slice(0, 140_000));
  const item = fc.oneof({ weight: 4, arbitrary: fc.jsonValue() }, { weight: 1, arbitrary: long });
  await fc.assert(
    fc.asyncProperty(fc.array(item, { maxLength: 60 }), async (drawn) => {
      const items = JSON.parse(JSON.stringify(drawn)) as unknown[];
      await writeFile(path, Buffer.concat([...documentChunks({ lsn: 7 }, 'items', items)]));
      const read = await readDocument(systemFiles, path);
      assert.equal(read?.head, { lsn: 7, items: [] });
      assert.equal(read?.items, items);
    }),
    { numRuns: 60 },
  );
});

test('many short ones are read a piece at a time', async () => {
  const path = join(tempDirectory(), 'document.json');
  const items = Array.from({ length: 100_000 }, (_, at) => ({ at }));
  await writeFile(path, Buffer.concat([...documentChunks({ lsn: 7 }, 'items', items)]));
  assert.equal((await readDocument(systemFiles, path))?.items, items);
});

test.run();
