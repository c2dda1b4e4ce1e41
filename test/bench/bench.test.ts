import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { within } from '../helpers/within.ts';
import { turn } from './bench-client.ts';
import type { Metric, Row } from './metric.ts';
import { metrics } from './metrics.ts';
import { readOptions } from './options.ts';
import { measureRounds } from './rounds.ts';
import { median, quantile, short, spread } from './stats.ts';
import { goalOf, type Results, verdict } from './table.ts';
import { createTarget, type Running, type Target } from './target.ts';

const test = suite('The bench');

test('medians, quantiles and the spread of rounds', () => {
  assert.is(median([3, 1, 2]), 2);
  assert.is(median([4, 1]), 2.5);
  assert.is(quantile([0, 10, 20, 30, 40], 0.9), 36);
  assert.ok(Number.isNaN(median([])));
  assert.is(spread([8, 10, 12]), 0.2);
  assert.is(spread([7]), 0);
  assert.equal([0, 0.01234, 12.345, 4567, 12_345, 2_500_000].map(short), [
    '0',
    '0.0123',
    '12.3',
    '4567',
    '12.3k',
    '2.50M',
  ]);
});

test('a goal is missed, met or met with the stretch; without a value or a goal nothing is claimed', () => {
  const low = { good: 'low', must: 2, stretch: 1 } as const;
  assert.equal(
    [2.1, 2, 1].map((value) => verdict(low, value)),
    ['MISSED', 'met', 'stretch'],
  );
  const high = { good: 'high', must: 2, stretch: 3 } as const;
  assert.equal(
    [1.9, 2, 3].map((value) => verdict(high, value)),
    ['MISSED', 'met', 'stretch'],
  );
  assert.is(verdict({ good: 'low', must: 0 }, 0), 'met');
  assert.is(verdict({ good: 'low', must: 0 }, 1), 'MISSED');
  assert.is(verdict(low, Number.NaN), '');
  assert.is(verdict({ good: 'low' }, 1), '');
});

test('a goal that the floor misses, too, says so', () => {
  const row: Row = { id: 'cold', label: 'start', unit: 'ms', good: 'low', must: 2, stretch: 1 };
  const goalWith = (ours: number, floor: number[]) =>
    goalOf(
      row,
      new Map(
        Object.entries({ raw: [10], ours: [ours], floor }).map(([name, values]) => [name, new Map([['cold', values]])]),
      ),
    );
  assert.equal(
    [goalWith(30, []), goalWith(30, [19]), goalWith(30, [21]), goalWith(15, [21])],
    ['MISSED', 'MISSED', 'MISSED, floor too', 'met'],
  );
});

test('ids of rows and curves are unique, and a stretch is harder than its must', () => {
  const ids = metrics.flatMap(({ rows, curves = [] }) => [...rows, ...curves].map(({ id }) => id));
  assert.equal([...new Set(ids)], ids);
  for (const { id, good, must, stretch } of metrics.flatMap(({ rows }) => rows))
    if (must !== undefined && stretch !== undefined) assert.ok(good === 'low' ? stretch < must : stretch > must, id);
});

test('a flag that is not known is refused', () => {
  assert.throws(() => readOptions(['--quik']), /--quik is not known; there are --quick/);
  assert.throws(() => readOptions(['--rounds=0']), /whole number/);
  const { scale, rounds, only, drivers } = readOptions(['--quick', '--only=a b', '--only=c', '--driver=x.mjs']);
  assert.equal([scale.pick(9, 1), rounds, only, drivers], [1, 1, ['a b', 'c'], ['x.mjs']]);
});

/** A server with an API of its own: its events have other names, and its sessions lie elsewhere. */
const foreign = `
  import { createServer } from 'node:http';
  const listeners = new Map();
  let count = 0;
  createServer((request, response) => {
    const [, kind, id] = request.url.split('/');
    if (kind === 'ready') return response.end('yes');
    if (kind === 'open') return response.end('chat-' + ++count);
    if (kind === 'watch') {
      response.writeHead(200).write(': hello\\n\\n');
      return listeners.set(id, response);
    }
    if (kind === 'all') return response.end('chat '.repeat(count));
    request.resume().on('end', () => {
      response.writeHead(204).end();
      const [, deltas] = /stream (\\d+)/.exec(decodeURIComponent(request.url)) ?? [];
      for (let at = 0; at < Number(deltas); at++) listeners.get(id).write('event: piece\\n\\n');
      listeners.get(id).write(deltas ? 'event: over\\n\\n' : 'event: broken\\n\\n');
    });
  }).listen(Number(process.env.PORT), '127.0.0.1');`;

test('a server with another API is measured through its driver', async () => {
  const target = foreignTarget();
  const directory = tempDirectory('bench');
  const running = await within(20_000, target.start(join(directory, 'first')), 'the start');
  try {
    assert.ok(running.startMs > 0 && running.rssMiB() > 1);
    const sessionId = await running.client.createSession();
    const listener = await running.client.listen(sessionId);
    const one = { sessionId, listener, content: 'stream 3' };
    const { firstMs, totalMs } = await within(5_000, turn(running.client, one), 'a turn');
    assert.ok(firstMs > 0 && totalMs >= firstMs);
    const failed = turn(running.client, { ...one, content: 'fail' }).then(() => 'no failure', String);
    assert.match(await within(5_000, failed, 'a failed turn'), 'a run failed: event: broken');
    listener.close();

    const scale = { quick: true, pick: (_full: number, small: number) => small };
    const context = { target, running, directory, scale };
    for (const id of ['create1', 'turn500']) {
      const metric = metrics.find(({ rows }) => rows.some((row) => row.id === id));
      const values = await within(20_000, metric?.measure(context) ?? Promise.reject(new Error(id)), id);
      assert.ok(Object.values(values).every((value) => value >= 0) && (values[id] ?? 0) > 0, id);
    }
  } finally {
    await running.stop();
  }
});

test('what fails costs its own figure and leaves no process behind', async () => {
  const target = foreignTarget();
  const started: Running[] = [];
  const failing: Metric = {
    rows: [{ id: 'broken', label: 'broken', unit: '', good: 'low' }],
    async measure({ directory }) {
      started.push(await target.start(join(directory, 'left')));
      throw new Error('as planned');
    },
  };
  const create = metrics.filter(({ rows }) => rows.some(({ id }) => id === 'create1'));
  const results: Results = new Map([['foreign', new Map()]]);
  const scale = { quick: true, pick: (_full: number, small: number) => small };
  const root = tempDirectory('bench');
  const rounds = measureRounds({ targets: [target], metrics: [failing, ...create], rounds: 2, root, scale, results });
  assert.is(await within(30_000, rounds, 'two rounds'), 2);
  assert.equal(
    [...(results.get('foreign') ?? [])].map(([id, values]) => [id, values.length]),
    [
      ['create1', 2],
      ['create32', 2],
    ],
  );
  for (const left of started) assert.throws(() => left.rssMiB(), /ENOENT/);
});

test('npm run bench prints every target, the example of a driver file among them, and the load of the machine', async () => {
  const words = [
    'test/bench/run.mjs',
    '--quick',
    '--only=create session',
    '--driver=test/bench/drivers/process-durability.mjs',
  ];
  const run = promisify(execFile)(process.execPath, words, { timeout: 60_000 });
  const { stdout } = await within(60_000, run, 'the bench');
  assert.match(stdout, /metric +unit +raw +ours +ratio +must +stretch +goal +spread +sql +ratio +no-sync +ratio\n/);
  const [line = ''] = stdout.match(/^create session, 32 at once .*$/m) ?? [];
  assert.match(line, />= 0\.4x +>= 0\.7x +(MISSED|met|stretch)/);
  assert.is((line.match(/[\d.]+k? +[\d.]+x/g) ?? []).length, 3, 'three servers with their ratio to raw');
  assert.match(stdout, /1 rounds, \d+ s; .*load before [\d. ]+, after [\d. ]+\./);
});

test.run();

function foreignTarget(): Target {
  return createTarget(
    {
      name: 'foreign',
      forgets: true,
      program: ({ port }) => ({
        command: process.execPath,
        words: ['--input-type=module', '-e', foreign],
        environment: { PORT: String(port) },
      }),
      dialect: {
        healthPath: '/ready',
        createSession: async (ask) => (await ask('GET', '/open')).text,
        async sendMessage(ask, sessionId, content) {
          const { status } = await ask('POST', `/say/${sessionId}/${encodeURIComponent(content)}`);
          if (status !== 204) throw new Error(`${status}`);
        },
        eventsPath: (sessionId) => `/watch/${sessionId}`,
        marks: () => ({ delta: 'event: piece', finished: 'event: over', failed: 'event: broken' }),
        listPath: '/all',
        listMark: 'chat',
      },
    },
    { modelUrl: 'http://127.0.0.1:9/v1', outdir: '.' },
  );
}
