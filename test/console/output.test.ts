import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseAnsi } from '../../public/markdown/ansi.ts';
import { parseDiff } from '../../public/markdown/unified-diff.ts';
import { tokensOf } from '../../public/service/highlight-tokens.ts';
import { revealHidden } from '../../public/state/format.ts';

const test = suite('The console: what tools wrote, without a browser');

test('commands hide nothing: invisible and direction characters are written out', () => {
  assert.is(revealHidden('rm \u202efdp.\u200b ok\n'), 'rm ⟨U+202E⟩fdp.⟨U+200B⟩ ok\n');
  assert.is(revealHidden('\u3164\u{e0001}\u{e0141}'), '⟨U+3164⟩⟨U+E0001⟩⟨U+E0141⟩');
  assert.is(revealHidden('plain text, äöü, 漢字'), 'plain text, äöü, 漢字');
});

test('terminal output keeps its colours and loses its control sequences', () => {
  const runs = parseAnsi('\u001b[1;31mred\u001b[0m \u001b]0;title\u0007done\r\n10%\r100%');
  assert.equal(runs, [
    { text: 'red', classes: 'ansi-red ansi-bold' },
    { text: ' ', classes: '' },
    { text: 'done\n100%', classes: '' },
  ]);
});

test('of what a terminal writes over itself the last is left, on a line of any length', () => {
  const shown = (output: string) =>
    parseAnsi(output)
      .map(({ text }) => text)
      .join('');
  assert.is(shown('10%\r50%\r100%\r\nnext\r\r\n\r\nlast\r'), '100%\nnext\n\nlast');
  assert.is(shown('\r'), '');
  const long = 'x'.repeat(200_000);
  assert.is(shown(long), long);
  assert.is(shown(`${'\r'.repeat(200_000)}end`), 'end');
});

test('a unified diff becomes numbered lines; highlighted code becomes its own text again', () => {
  const { lines } = parseDiff('--- a\n+++ b\n@@ -3,2 +3,2 @@\n same\n-old\n+new\n');
  assert.equal(
    lines.slice(1).map(({ kind, text, before, after }) => [kind, text, before, after]),
    [
      ['same', 'same', 3, 3],
      ['del', 'old', 4, undefined],
      ['add', 'new', undefined, 4],
    ],
  );
  const tokens = tokensOf(
    '<span class="hljs-keyword">if</span> (a &lt; <span class="hljs-string">&quot;b&quot;</span>)',
  );
  assert.equal(tokens, [
    ['if', 'keyword'],
    [' (a < ', ''],
    ['"b"', 'string'],
    [')', ''],
  ]);
});

test.run();
