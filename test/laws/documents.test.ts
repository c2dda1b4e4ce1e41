import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { globSync } from '../glob.mjs';

const test = suite('the documents lead somewhere');

const documents = [...readdirSync('.').filter((name) => name.endsWith('.md')), ...globSync('plugins', /README\.md$/)];

/** What a document names and is not there: the targets of its links, and the paths of this repository in its text. */
function findDeadNames(path: string, text: string): string[] {
  const prose = text.replace(/^```[\s\S]*?^```/gm, '');
  const links = Array.from(prose.matchAll(/\]\((?!\w+:)([^)#]+)/g), ([, target = '']) => join(dirname(path), target));
  const named = prose.matchAll(/`((?:handlers|host|lib|plugins|public|test)\/[\w./-]*\w)\/?`/g);
  const paths = Array.from(named, ([, name = '']) => name).filter((name) => !existsSync(`${name}.test.ts`));
  return [...links, ...paths].filter((name) => !existsSync(name)).map((name) => `${path} names ${name}`);
}

test('every link and every path that they name is there', () => {
  assert.ok(documents.includes('ARCHITECTURE.md') && documents.includes('DECISIONS.md'));
  assert.equal(
    documents.flatMap((path) => findDeadNames(path, readFileSync(path, 'utf8'))),
    [],
  );
});

test('ARCHITECTURE.md is one page', () => {
  assert.ok(readFileSync('ARCHITECTURE.md', 'utf8').split('\n').length <= 115);
});

test('dead links and paths are found', () => {
  for (const text of ['[a](NOWHERE.md)', 'see `lib/nowhere.ts`', 'see `test/laws/nowhere`'])
    assert.is(findDeadNames('README.md', text).length, 1, text);
  const fine =
    '[a](ARCHITECTURE.md#states), [b](https://example.com), `lib/app.ts`, `test/laws/`, `test/laws/documents`';
  assert.equal(findDeadNames('README.md', fine), []);
});

test.run();
