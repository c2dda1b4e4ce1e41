import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { globSync } from '../glob.mjs';

const test = suite('the documents lead somewhere');

const documents = [...readdirSync('.').filter((name) => name.endsWith('.md')), ...globSync('plugins', /README\.md$/)];

/**
 * What a document names and is not there: the targets of its links with the headings that they lead to, and the paths of
 * this repository in its text.
 */
function findDeadNames(path: string, text: string): string[] {
  const prose = withoutBlocks(text);
  const links = linksIn(path, text).map(({ target }) => target);
  const named = prose.matchAll(/`((?:handlers|host|lib|plugins|public|test)\/[\w./-]*\w)\/?`/g);
  const paths = Array.from(named, ([, name = '']) => name).filter((name) => !existsSync(`${name}.test.ts`));
  const headings = linksIn(path, text)
    .filter(({ target, anchor }) => anchor !== '' && existsSync(target) && !headingsOf(target).includes(anchor))
    .map(({ target, anchor }) => `${target}#${anchor}`);
  const dead = [...links, ...paths].filter((name) => !existsSync(name));
  return [...dead, ...headings].map((name) => `${path} names ${name}`);
}

/** The links to files of this repository; a link within a document leads to that document. */
function linksIn(path: string, text: string): { target: string; anchor: string }[] {
  return Array.from(
    withoutBlocks(text).matchAll(/\]\((?!\w+:)([^)#]*)#?([^)]*)\)/g),
    ([, target = '', anchor = '']) => ({
      target: target === '' ? path : join(dirname(path), target),
      anchor,
    }),
  );
}

/** The headings of a document as its readers show them in addresses. */
function headingsOf(path: string): string[] {
  const titles = withoutBlocks(readFileSync(path, 'utf8')).matchAll(/^#+ +(.*)$/gm);
  return Array.from(titles, ([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}

function withoutBlocks(text: string): string {
  return text.replace(/^ *```[\s\S]*?^ *```/gm, '');
}

test('every link and every path that they name is there', () => {
  assert.ok(documents.includes('ARCHITECTURE.md') && documents.includes('DECISIONS.md'));
  assert.equal(
    documents.flatMap((path) => findDeadNames(path, readFileSync(path, 'utf8'))),
    [],
  );
});

test('a document of the package leads to nothing that the package leaves out', () => {
  const { files } = JSON.parse(readFileSync('package.json', 'utf8')) as { files: string[] };
  const isPacked = (target: string) =>
    files.some((entry) => new RegExp(`^${entry.replaceAll('.', '\\.').replace('*', '[^/]+')}(?:/|$)`).test(target));
  const packed = documents.filter(isPacked);
  assert.ok(packed.length >= 6 + globSync('plugins', /README\.md$/).length, 'the options of plugins are told in it');
  const targets = packed.flatMap((path) => linksIn(path, readFileSync(path, 'utf8')).map(({ target }) => target));
  assert.equal(
    targets.filter((target) => !isPacked(target)),
    [],
  );
});

test('every variable that CONTRIBUTING.md names is read', () => {
  const text = readFileSync('CONTRIBUTING.md', 'utf8');
  const named = new Set(Array.from(text.matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g), ([, name = '']) => name));
  const sources = globSync('test', /\.(?:ts|mjs)$/).map((path) => readFileSync(path, 'utf8'));
  assert.ok(named.size >= 5);
  assert.equal(
    [...named].filter(
      (name) => !sources.some((source) => source.includes(`env.${name}`) || source.includes(`${name}=`)),
    ),
    [],
  );
});

test('ARCHITECTURE.md is one page', () => {
  assert.ok(readFileSync('ARCHITECTURE.md', 'utf8').split('\n').length <= 115);
});

test('dead links, headings and paths are found', () => {
  for (const text of [
    '[a](NOWHERE.md)',
    '[a](#nowhere)',
    '[a](ARCHITECTURE.md#nowhere)',
    'see `lib/nowhere.ts`',
    'see `test/laws/nowhere`',
  ])
    assert.is(findDeadNames('README.md', text).length, 1, text);
  const fine =
    '[a](ARCHITECTURE.md#states), [b](https://example.com), `lib/app.ts`, `test/laws/`, `test/laws/documents`';
  assert.equal(findDeadNames('README.md', fine), []);
});

test.run();
