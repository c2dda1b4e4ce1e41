import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { LogLevel } from '../../lib/base/log.ts';
import { createLogger } from '../../lib/base/logger.ts';
import { createSecretRegistry } from '../../lib/base/secrets.ts';

const clock = { now: () => Date.UTC(2026, 0, 2, 3, 4, 5, 6) };

function logging(format: 'text' | 'json', level: LogLevel = 'info') {
  const lines: string[] = [];
  const secrets = createSecretRegistry();
  const log = createLogger({ level, format, clock, write: (line) => lines.push(line), redact: secrets.redact });
  return { log, lines, secrets };
}

const text = suite('Text format: one readable line per entry');

text('time, level, message and fields', () => {
  const { log, lines } = logging('text');
  log.info('Ready', { port: 7331, url: 'http://x', note: 'two words', list: [1, 'a'], absent: undefined });
  assert.equal(lines, ['2026-01-02T03:04:05.006Z INFO  Ready port=7331 url=http://x note="two words" list=[1,"a"]\n']);
});

text('a child adds its fields to every line', () => {
  const { log, lines } = logging('text');
  log.child({ plugin: 'memory' }).child({ part: 1 }).warn('Odd', { part: 2 });
  assert.match(lines[0] ?? '', /WARN {2}Odd plugin=memory part=2\n$/);
});

text('entries under the level are not written', () => {
  const { log, lines } = logging('text', 'warn');
  log.debug('no');
  log.info('no');
  log.warn('yes');
  log.error('yes');
  assert.is(lines.length, 2);
});

text('silent writes nothing', () => {
  const { log, lines } = logging('text', 'silent');
  log.error('no');
  assert.equal(lines, []);
});

text.run();

const json = suite('JSON format: one object per line');

json('time, level and message cannot be overwritten by fields', () => {
  const { log, lines } = logging('json');
  log.error('Failed', { level: 'forged', message: 'forged', time: 0, code: 5 });
  assert.equal(JSON.parse(lines[0] ?? ''), {
    time: '2026-01-02T03:04:05.006Z',
    level: 'error',
    message: 'Failed',
    code: 5,
  });
});

json('errors are their message; the stack appears at level debug only', () => {
  const quiet = logging('json');
  quiet.log.warn('Odd', { error: new TypeError('broken') });
  assert.equal(JSON.parse(quiet.lines[0] ?? '').error, 'broken');
  assert.not.match(quiet.lines[0] ?? '', 'logger.test');
  const chatty = logging('json', 'debug');
  chatty.log.warn('Odd', { error: new TypeError('broken') });
  assert.match(JSON.parse(chatty.lines[0] ?? '').errorStack, 'TypeError: broken\n');
});

json('what cannot be serialised never throws', () => {
  const { log, lines } = logging('json');
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  log.info('Odd', { circle, big: 10n, fn: () => 1, symbol: Symbol('s') });
  assert.equal(JSON.parse(lines[0] ?? '').circle, '[unserialisable]');
});

json('long values are clipped', () => {
  const { log, lines } = logging('json');
  log.info('Long', { text: 'x'.repeat(100_000), tree: { text: 'x'.repeat(100_000) } });
  assert.ok((lines[0] ?? '').length < 10_000);
});

json.run();

const hostile = suite('A line cannot be forged and carries no secret');

for (const format of ['text', 'json'] as const) {
  hostile(`${format}: control characters, separators and direction marks are escaped`, () => {
    const { log, lines } = logging(format);
    const nasty = 'a\r\nb\u001b[31mc\u0000\u007f\u0085\u2028\u202e';
    log.info(nasty, { nasty, deep: { nasty } });
    assert.is(lines.length, 1);
    assert.not.match((lines[0] ?? '').slice(0, -1), /[\p{Cc}\u2028\u202e]/u);
    assert.ok((lines[0] ?? '').endsWith('\n'));
  });

  hostile(`${format}: known secrets and query tokens are redacted in messages, fields, errors and stacks`, () => {
    const { log, lines, secrets } = logging(format, 'debug');
    secrets.add('can"ary-1');
    const error = new Error('rejected can"ary-1');
    log.error('can"ary-1 /x?token=canary2', { field: 'can"ary-1', deep: { url: '/y?a=b&token=canary3' }, error });
    assert.not.match(lines.join(), /ary-1|canary/);
  });
}

hostile.run();
