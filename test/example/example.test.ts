import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { within } from '../helpers/within.ts';
import { fixTheTest } from './fix-the-test.ts';

const test = suite('The second example of the README');

test('an agent fixes a failing test over approval, and the client prints what the README says', async () => {
  const lines: string[] = [];
  const { result, workspace, problems } = await within(60_000, fixTheTest({ print: (line) => lines.push(line) }));
  assert.is(result.status, 'completed');
  assert.equal(problems, [], 'the model server accepts every request');
  assert.match(readFileSync(join(workspace, 'total.js'), 'utf8'), /Math\.floor\(count \/ 3\)/);
  const [, shown] = readFileSync('README.md', 'utf8').split(/npm run example\n```\n\n```text\n/);
  assert.is(lines.join('\n'), shown?.slice(0, shown.indexOf('\n```')));
});

test.run();
