import { chmodSync, lstatSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { within } from '../helpers/within.ts';
import { checkRepositories } from './native-git.ts';
import { openCheckpointer } from './open-checkpointer.ts';
import { describeTree } from './tree.ts';

const test = suite('Whatever is edited, every checkpoint brings back exactly the files of its time');
const runs = Number(process.env.CHECKPOINT_RUNS ?? 150);

const name = fc.constantFrom('a', 'b', 'c.txt', 'ü', 'x\ny', 'back\\slash');
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));
const content = fc.oneof(
  fc.constant(''),
  fc.string(),
  fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.from(bytes)),
);
type Step =
  | { do: 'write'; path: string; content: string | Buffer }
  | { do: 'remove' | 'folder' | 'executable'; path: string }
  | { do: 'link' | 'move'; path: string; to: string }
  | { do: 'capture' }
  | { do: 'restore'; which: number };
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('write' as const), path, content }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom('remove' as const, 'folder' as const, 'executable' as const), path }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('link' as const, 'move' as const), path, to: path }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('capture' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('restore' as const), which: fc.nat({ max: 9 }) }) },
);

/** An edit as a tool would do it; what the tree does not allow changes nothing. */
function edit(root: string, each: Step): void {
  try {
    if (each.do === 'write') {
      mkdirSync(dirname(join(root, each.path)), { recursive: true });
      writeFileSync(join(root, each.path), each.content);
    } else if (each.do === 'remove') rmSync(join(root, each.path), { recursive: true, force: true });
    else if (each.do === 'folder') mkdirSync(join(root, each.path), { recursive: true });
    else if (each.do === 'executable' && lstatSync(join(root, each.path)).isFile())
      chmodSync(join(root, each.path), 0o755);
    else if (each.do === 'link') symlinkSync(each.to, join(root, each.path));
    else if (each.do === 'move') renameSync(join(root, each.path), join(root, each.to));
  } catch (error) {
    assert.ok(error instanceof Error && 'code' in error, String(error));
  }
}

test(`${runs} random scripts of edits, captures and restores`, async () => {
  const rig = openCheckpointer();
  let number = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), async (steps) => {
      const workspace = tempDirectory('edits');
      const session = { ...rig.session, id: `ses_${number++}`, workspace };
      const taken: { id: string; tree: string[] }[] = [];
      for (const each of steps) {
        if (each.do === 'capture') {
          const { id } = await within(10_000, rig.checkpointer.capture(session, 'x'));
          taken.push({ id, tree: describeTree(workspace) });
        } else if (each.do === 'restore') {
          const target = taken[each.which % Math.max(1, taken.length)];
          if (!target) continue;
          const before = describeTree(workspace);
          const { safety, warning } = await within(10_000, rig.checkpointer.restore(session, target.id));
          assert.is(warning, null);
          assert.equal(describeTree(workspace), target.tree);
          if (safety) taken.push({ id: safety.id, tree: before });
          else assert.equal(before, target.tree);
        } else edit(workspace, each);
      }
    }),
    { numRuns: runs },
  );
  await rig.checkpointer.close();
  checkRepositories(rig.directory);
});

test.run();
