import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../lib/base/clock.ts';
import { createLogger } from '../../lib/base/logger.ts';
import { ProviderError } from '../../lib/models/model.ts';
import { prometheusText } from '../../lib/service/prometheus-text.ts';
import { createFileStore } from '../../lib/store/file-store.ts';
import { createEmbeddedSqlStore } from '../../lib/store/sql/open-sql-store.ts';
import { callOf, scriptedModel } from '../helpers/scripted-model.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import type { TestApp } from '../helpers/test-app.ts';
import { wait } from '../helpers/tools.ts';
import { watch, withApp, withSession } from '../helpers/with-app.ts';

const metrics = suite('GET /api/metrics');

/** Reads the exposition format strictly: every line is a comment of a family or a sample of the family above it. */
async function scrape(app: TestApp): Promise<Map<string, number>> {
  const response = await app.fetch('/api/metrics');
  assert.is(response.status, 200);
  assert.is(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  const text = await response.text();
  assert.ok(text.endsWith('\n'));
  const samples = new Map<string, number>();
  let family = '';
  for (const line of text.trimEnd().split('\n')) {
    const declared = /^# TYPE (\w+) (?:counter|gauge|histogram)$/.exec(line);
    if (declared) family = declared[1] ?? '';
    if (line === '' || line.startsWith('# ')) continue;
    const [, name = '', labels = '', value] =
      /^([a-z_]+)(\{[a-z_]+="[^"]*"(?:,[a-z_]+="[^"]*")*\})? (-?[\d.e+-]+)$/.exec(line) ?? [];
    assert.ok(name === family || name.replace(/_(?:bucket|sum|count)$/, '') === family, `"${line}" below ${family}`);
    assert.not.ok(samples.has(name + labels), `${name + labels} is told twice`);
    samples.set(name + labels, Number(value));
  }
  return samples;
}

metrics('counts runs by how they ended, their steps, tokens, calls and retries', () => {
  const model = scriptedModel([
    { toolCalls: [callOf('no_such_tool')] },
    { content: 'done' },
    () => Promise.reject(new ProviderError('busy', { retryable: true })),
    { content: 'again' },
    () => Promise.reject(new ProviderError('refused')),
  ]);
  const settings = { agent: { retry: { baseDelayMs: 1, maxDelayMs: 1 } } };
  return withSession({ models: [model], settings }, async (app, session) => {
    for (const end of ['run.finished', 'run.finished', 'run.failed'] as const) {
      await session.send('go');
      await session.until(end);
    }
    const figures = await scrape(app);
    const all = Object.fromEntries(figures);
    assert.is(all['service_runs_total{status="completed"}'], 2);
    assert.is(all['service_runs_total{status="failed"}'], 1);
    assert.is(all['service_runs_total{status="cancelled"}'], 0);
    assert.is(all.service_runs_active, 0);
    assert.is(all.service_steps_total, 4);
    assert.is(all['service_tokens_total{direction="input"}'], 30);
    assert.is(all['service_tokens_total{direction="output"}'], 15);
    assert.is(all['service_model_calls_total{outcome="ok"}'], 3);
    assert.is(all['service_model_calls_total{outcome="failed"}'], 2);
    assert.is(all.service_model_retries_total, 1);
    assert.is(all['service_model_call_seconds_count{provider="test"}'], 5);
    assert.is(all['service_model_call_seconds_bucket{provider="test",le="+Inf"}'], 5);
  });
});

metrics('tells sessions, streams and how far they are', () =>
  withApp({ models: [scriptedModel()] }, async (app) => {
    const session = await watch(app, (await app.newSession()).id);
    const idle = app.app.events.subscribe({ tenantId: 'default' });
    await session.send('hello');
    await session.until('run.finished');
    const before = await scrape(app);
    assert.is(before.get('service_sessions'), 1);
    assert.is(before.get('service_stream_clients'), 2);
    assert.ok((before.get('service_event_lag_events') ?? 0) >= 5, 'the one that takes nothing falls behind');
    assert.is(before.get('service_events_total'), before.get('service_event_buffer_events'));
    idle.close();
    await session.stream.close();
    const after = await scrape(app);
    assert.is(after.get('service_stream_clients'), 0);
    assert.is(after.get('service_event_lag_events'), 0);
  }),
);

metrics('tells what waits for a person', () => {
  const model = scriptedModel([{ toolCalls: [callOf('wait')] }]);
  return withSession({ models: [model], tools: [wait] }, async (app, session) => {
    await session.send('go');
    await session.until('approval.requested');
    const figures = await scrape(app);
    assert.is(figures.get('service_approvals_waiting'), 1);
    assert.is(figures.get('service_runs_active'), 1);
    await app.call('POST', `${session.path}/cancel`, {});
    await session.until('run.finished');
    const after = await scrape(app);
    assert.is(after.get('service_approvals_waiting'), 0);
    assert.is(after.get('service_runs_total{status="cancelled"}'), 1);
  });
});

const log = createLogger({ level: 'silent', format: 'text', write() {}, clock: systemClock });

for (const createStore of [createFileStore, createEmbeddedSqlStore])
  metrics(`tells of the log and the process (${createStore.name})`, () => {
    const directory = join(tempDirectory('metrics'), 'data');
    const store = createStore({ directory, durability: 'full', clock: systemClock, log });
    return withApp({ store }, async (app) => {
      await app.newSession();
      const figures = await scrape(app);
      assert.is(figures.get('service_log_commits_total'), 1);
      assert.is(figures.get('service_log_syncs_total'), 1);
      assert.is(figures.get('service_log_failures_total'), 0);
      assert.is(figures.get('service_storage_trouble{reason="full"}'), 0);
      assert.ok((figures.get('service_log_bytes_total') ?? 0) > 0);
      assert.ok((figures.get('process_resident_memory_bytes') ?? 0) > 1e6);
      assert.ok(figures.has('nodejs_eventloop_lag_seconds'));
      if (process.platform === 'linux') assert.ok((figures.get('process_open_fds') ?? 0) > 3);
    });
  });

metrics('keeps the text whole whatever a provider calls itself', async () => {
  const labels = { provider: 'a"b\\c\nd} 1' };
  const text = await prometheusText([
    { name: 'calls_total', help: 'Line\nbreak', type: 'counter', samples: [{ value: 2, labels }] },
    { name: 'seconds', help: 'x', type: 'histogram', samples: [{ value: 3, labels, suffix: '_count' }] },
    { name: 'nothing', help: 'x', type: 'gauge', samples: [] },
  ]);
  const escaped = '{provider="a\\"b\\\\c\\nd} 1"}';
  assert.equal(
    text.split('\n').filter((line) => line !== '' && !line.startsWith('# ')),
    [`calls_total${escaped} 2`, `seconds_count${escaped} 3`],
  );
  assert.is(text.includes('nothing'), false);
});

metrics('costs nothing before the first scrape: no file loads the library at the start', () => {
  const meta = JSON.parse(readFileSync('dist/meta.json', 'utf8')) as {
    inputs: Record<string, { imports: { original?: string; kind: string }[] }>;
  };
  const kinds = Object.entries(meta.inputs).flatMap(([path, { imports }]) =>
    imports.filter((target) => target.original === 'prom-client').map(({ kind }) => [path, kind]),
  );
  assert.equal(kinds, [['lib/service/prometheus-text.ts', 'dynamic-import']]);
});

metrics('is for administrators only', () =>
  withApp({ settings: { auth: { mode: 'accounts', bootstrapToken: 'the-first-administrator' } } }, async (app) => {
    const admin = { authorization: 'Bearer the-first-administrator' };
    const { token } = await app.call<{ token: string }>('POST', '/api/users', {
      status: 201,
      headers: admin,
      body: { name: 'ada' },
    });
    assert.is((await app.fetch('/api/metrics')).status, 401);
    assert.is((await app.fetch('/api/metrics', { headers: { authorization: `Bearer ${token}` } })).status, 403);
    assert.is((await app.fetch('/api/metrics', { headers: admin })).status, 200);
  }),
);

metrics.run();
