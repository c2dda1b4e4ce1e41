import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Diagnosis, Finding, Repair } from '../../lib/wire/diagnosis.ts';
import type { StoredMessage } from '../../lib/wire/message.ts';
import { createMemoryStore } from '../helpers/memory-store.ts';
import { pixel } from '../helpers/pixel.ts';
import { callOf, scriptedModel } from '../helpers/scripted-model.ts';
import type { TestApp } from '../helpers/test-app.ts';
import { wait } from '../helpers/tools.ts';
import { types, withApp, withSession } from '../helpers/with-app.ts';

const repair = suite('GET /api/sessions/:id/diagnostics and POST .../repair');

const diagnose = async (app: TestApp, id: string): Promise<Diagnosis> =>
  (await app.call<{ diagnosis: Diagnosis }>('GET', `/api/sessions/${id}/diagnostics`, {})).diagnosis;
const codes = (findings: readonly Finding[]): string[] => findings.map(({ code }) => code);

let number = 0;
const message = (fields: Partial<StoredMessage>): StoredMessage => ({
  id: `msg_${++number}`,
  role: 'assistant',
  content: '',
  createdAt: '2026-01-01T00:00:00.000Z',
  ...fields,
});

async function damage(app: TestApp, id: string, messages: StoredMessage[], status: 'running' | 'idle'): Promise<void> {
  const session = app.app.sessions.findAny(id);
  assert.ok(session);
  await session?.commit({ kind: 'appended', messages, fields: { status } });
}

repair('a healthy session has no findings, and a repair does not touch it', () =>
  withSession({ models: [scriptedModel()] }, async (app, { id, path, send, until }) => {
    await send('hello');
    await until('run.finished');
    const before = await app.detail(id);
    const { lastSeq } = app.app.events;
    assert.equal(await diagnose(app, id), {
      sessionId: id,
      status: 'idle',
      activeRunId: null,
      messages: 2,
      findings: [],
    });
    const { repaired } = await app.call<Repair>('POST', `${path}/repair`, {});
    assert.equal(repaired, []);
    assert.equal(await app.detail(id), before);
    assert.is(app.app.events.lastSeq, lastSeq);
  }),
);

repair('calls without result and a stuck status are named, then repaired as one change', () =>
  withSession({ models: [scriptedModel()] }, async (app, { id, path, until, send }) => {
    const toolCalls = [callOf('read_file', {}, 'c1'), callOf('shell', {}, 'c2')];
    await damage(app, id, [message({ role: 'user', content: 'go' }), message({ toolCalls })], 'running');
    const found = await diagnose(app, id);
    assert.equal(codes(found.findings), ['stuck_status', 'unanswered_call', 'unanswered_call']);
    assert.ok(found.findings.every(({ repair }) => repair !== undefined));
    assert.is((await app.detail(id)).status, 'running', 'a diagnosis changes nothing');

    const { repaired, diagnosis } = await app.call<Repair>('POST', `${path}/repair`, {});
    assert.equal(repaired, found.findings);
    assert.equal(diagnosis.findings, []);
    assert.equal(types(await until('session.updated')), [
      'message.started',
      'message.completed',
      'message.started',
      'message.completed',
      'session.updated',
    ]);
    const detail = await app.detail(id);
    assert.is(detail.status, 'interrupted');
    assert.equal(
      detail.messages.slice(2).map(({ toolCallId, isError }) => [toolCallId, isError]),
      [
        ['c1', true],
        ['c2', true],
      ],
    );
    await send('and now?');
    assert.ok((await until('run.finished')).length > 0, 'the session works again');
  }),
);

repair('what nobody can bring back is named with what it means, and left alone', () => {
  const store = createMemoryStore();
  const empty = { ...store, readImage: async () => undefined };
  return withApp({ models: [scriptedModel()], store: empty }, async (app) => {
    const { id } = await app.newSession();
    const images = [{ mimeType: 'image/png' as const, hash: 'a'.repeat(64), bytes: pixel.length }];
    await damage(
      app,
      id,
      [
        message({ role: 'user', content: 'see', images }),
        message({ toolCalls: [callOf('shell', {}, 'lost')] }),
        message({ role: 'user', content: 'go on' }),
        message({ role: 'tool', content: 'whose?', toolCallId: 'nobody' }),
        message({ content: 'done' }),
      ],
      'idle',
    );
    const { findings } = await diagnose(app, id);
    assert.equal(codes(findings), ['unpaired_call', 'unpaired_result', 'missing_image']);
    assert.ok(findings.every(({ repair, messageId }) => repair === undefined && messageId !== undefined));
    const { repaired, diagnosis } = await app.call<Repair>('POST', `/api/sessions/${id}/repair`, {});
    assert.equal(repaired, []);
    assert.equal(diagnosis.findings, findings);
  });
});

repair('a transcript that can not be read is a finding, not a failure', () => {
  const store = createMemoryStore();
  return withApp({ models: [scriptedModel()], store }, async (app) => {
    const { id } = await app.newSession();
    const record = app.app.sessions.findAny(id)?.record;
    assert.ok(record);
    if (!record) return;
    // As after a start: the record is known, the transcript is on disk.
    app.app.sessions.restore([record]);
    Reflect.set(store, 'readMessages', () => Promise.reject(new Error('EIO')));
    assert.equal(codes((await diagnose(app, id)).findings), ['unreadable_transcript']);
  });
});

repair('a reservation without a run is given back', () =>
  withApp({ models: [scriptedModel()] }, async (app) => {
    const { id } = await app.newSession();
    Object.assign(app.app.sessions.findAny(id) ?? {}, { activeRunId: 'run_gone' });
    assert.equal(codes((await diagnose(app, id)).findings), ['stuck_reservation']);
    const { diagnosis } = await app.call<Repair>('POST', `/api/sessions/${id}/repair`, {});
    assert.equal(diagnosis.findings, []);
    await app.call('POST', `/api/sessions/${id}/messages`, { status: 202, body: { content: 'hello' } });
  }),
);

repair('a call in progress is no finding, and a repair waits for the end of the run', () => {
  const model = scriptedModel([{ toolCalls: [callOf('wait')] }]);
  return withSession({ models: [model], tools: [wait] }, async (app, { id, path, send, until }) => {
    const runId = await send('go');
    await until('approval.requested');
    const { activeRunId, status, findings } = await diagnose(app, id);
    assert.equal({ activeRunId, status, findings }, { activeRunId: runId, status: 'running', findings: [] });
    const { error } = await app.call<{ error: { code: string } }>('POST', `${path}/repair`, { status: 409 });
    assert.is(error.code, 'session_busy');
    await app.call('POST', `${path}/cancel`, {});
    await until('run.finished');
  });
});

repair.run();
