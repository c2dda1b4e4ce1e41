import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { WorkspaceFile } from '../../lib/wire/workspace.ts';
import { createHeightGuard, createRateGuard } from '../../public/sandbox/guards.ts';
import { parseFrameMessage } from '../../public/sandbox/parse-frame-message.ts';
import {
  byOrder,
  contextFields,
  matchesFile,
  matchesMessage,
  type SlotMessage,
  submittedText,
} from '../../public/sandbox/slot-rules.ts';

const message: SlotMessage = {
  id: 'm',
  role: 'assistant',
  content: 'hi',
  createdAt: '2026-01-01T00:00:00.000Z',
  toolCalls: [{ id: 'c', name: 'read_file', arguments: {} }],
  images: [{ mimeType: 'image/png', name: 'a.png', data: 'SECRETBYTES' }],
};
const file: WorkspaceFile = {
  path: 'a/b.csv',
  name: 'b.csv',
  size: 600_000,
  mimeType: 'text/csv',
  encoding: 'utf8',
  content: 'x'.repeat(600_000),
  truncated: false,
  binary: false,
  modifiedAt: '2026-01-01T00:00:00.000Z',
};

const rules = suite('Slots decide by order and match, and give what their kind promises');

rules('lower order first, then plugin, then extension', () => {
  const list = [
    { order: 100, pluginId: 'b', id: 'x' },
    { order: 100, pluginId: 'a', id: 'z' },
    { order: 100, pluginId: 'a', id: 'y' },
    { order: -1, pluginId: 'z', id: 'z' },
  ];
  assert.equal(
    list.sort(byOrder).map(({ pluginId, id }) => pluginId + id),
    ['zz', 'ay', 'az', 'bx'],
  );
});

rules('message.after matches by role and by any tool that is called', () => {
  assert.ok(matchesMessage({}, message));
  assert.ok(matchesMessage({ roles: ['assistant'], toolNames: ['x', 'read_file'] }, message));
  assert.not.ok(matchesMessage({ roles: ['user'] }, message));
  assert.not.ok(matchesMessage({ toolNames: ['x'] }, message));
  assert.not.ok(matchesMessage({}, { ...message, role: 'tool' }));
});

rules('file.viewer matches by extension, whatever its case', () => {
  assert.ok(matchesFile({ extensions: ['csv'] }, 'A.B.CSV'));
  for (const name of ['csv', '.csv', 'a.csvx']) assert.not.ok(matchesFile({ extensions: ['csv'] }, name), name);
  assert.not.ok(matchesFile({}, 'a.csv'));
});

rules('no session and no payload where the contract has none', () => {
  for (const slot of ['sidebar.footer', 'settings.section'] as const)
    assert.equal(contextFields(slot, { sessionId: 's', message, file }), {});
  assert.equal(contextFields('session.header', { sessionId: 's', message }), { sessionId: 's' });
});

rules('a message crosses without the bytes of its images', () => {
  const fields = contextFields('message.after', { sessionId: 's', message });
  assert.not.match(JSON.stringify(fields), /SECRETBYTES/);
  assert.equal(Reflect.get(Object(fields.message), 'images'), [{ mimeType: 'image/png', name: 'a.png' }]);
});

rules('the content of a file is clipped to 512,000 characters, and `truncated` says so', () => {
  const clipped = Object(contextFields('file.viewer', { sessionId: 's', file }).file);
  assert.equal([clipped.content.length, clipped.truncated], [512_000, true]);
  const whole = Object(contextFields('file.viewer', { file: { ...file, content: 'x'.repeat(512_000) } }).file);
  assert.equal([whole.content.length, whole.truncated], [512_000, false]);
  const cut = Object(contextFields('file.viewer', { file: { ...file, content: 'x', truncated: true } }).file);
  assert.ok(cut.truncated);
});

rules('submit ignores blank text and caps the rest at 100,000 characters', () => {
  for (const text of ['', '  ', '\n\t']) assert.is(submittedText(text), undefined);
  assert.is(submittedText(' a '), ' a ');
  assert.is(submittedText('x'.repeat(100_001))?.length, 100_000);
});
rules.run();

const guards = suite('A frame gets the height of its content, within reason');

guards('between 0 and 4,000 px; small shrinks are echoes', () => {
  const guard = createHeightGuard(() => 0);
  assert.equal([120, 300, 90_000, 3_998, 50, -5].map(guard), [120, 300, 4_000, undefined, 50, 0]);
});

guards('more than twenty changes in two seconds freeze it', () => {
  let now = 0;
  const guard = createHeightGuard(() => now);
  const changes = Array.from({ length: 30 }, (_, at) => guard(100 + at * 10));
  assert.is(changes.filter((height) => height !== undefined).length, 20);
  now = 60_000;
  assert.is(guard(1_000), undefined);
});

guards('a rate is counted per window', () => {
  let now = 0;
  const guard = createRateGuard(2, 1_000, () => now);
  assert.equal([guard(), guard(), guard()], [true, true, false]);
  now = 1_000;
  assert.ok(guard());
});
guards.run();

const protocol = suite('What a frame says is checked by shape and size');

protocol('strange messages are no messages', () => {
  for (const data of [undefined, null, 7, 'mounted', {}, { t: 'init' }, { t: 'size', height: Number.NaN }])
    assert.is(parseFrameMessage(data), undefined);
  for (const data of [{ t: 'req', id: 'x', path: '/', method: 'GET' }, { t: 'submit', text: {} }, { t: 'discovered' }])
    assert.is(parseFrameMessage(data), undefined);
  assert.is(parseFrameMessage({ t: 'req', id: 1, path: 'x'.repeat(10_001), method: 'GET' }), undefined);
  const long = parseFrameMessage({ t: 'fail', stage: 'mount', message: 'x'.repeat(9_000) });
  assert.is(long?.t === 'fail' && long.message.length, 500);
});

protocol('extensions without a slot of ours, or with the id of another, are left out', () => {
  const extensions = [
    { id: 'a', slot: 'sidebar.footer', match: { extensions: ['CSV', 7] } },
    { id: 'a', slot: 'session.header' },
    { id: 'b', slot: 'everywhere' },
    { id: '', slot: 'session.header' },
    { id: 'c', slot: 'session.header', order: 'first' },
    null,
  ];
  assert.equal(parseFrameMessage({ t: 'discovered', extensions }), {
    t: 'discovered',
    extensions: [
      { id: 'a', slot: 'sidebar.footer', order: 100, match: { extensions: ['csv'] } },
      { id: 'c', slot: 'session.header', order: 100, match: {} },
    ],
  });
});
protocol.run();
