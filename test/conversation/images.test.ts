import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isApiError } from '../../lib/client/index.ts';
import type { RecordedRequest } from '../helpers/scripted-model-server.ts';
import { eventually } from '../helpers/within.ts';
import { models, startWorld, turn, type World } from './two-providers.ts';

const test = suite('Images');
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const dot = { mimeType: 'image/png', data: png } as const;
const megabytes = (count: number) => Buffer.alloc(count * 1024 * 1024, 7).toString('base64');
let world: World;

/** A plugin whose tool returns images: good ones, and all kinds of bad ones. */
const cameraPlugin = `const png = '${png}';
const big = (megabytes) => Buffer.alloc(megabytes * 1024 * 1024, 7).toString('base64');
const images = {
  good: () => [{ mimeType: 'image/png', data: png, name: 'dot' }],
  bad: () => [
    { mimeType: 'image/svg+xml', data: png },
    { mimeType: 'image/png', data: '%%%' },
    { mimeType: 'image/png', data: big(5) },
    { mimeType: 'image/webp', data: png },
  ],
  many: () => Array.from({ length: 8 }, () => ({ mimeType: 'image/gif', data: png })),
  heavy: () => [3, 3, 3, 3, 1].map((size) => ({ mimeType: 'image/jpeg', data: big(size) })),
  three: () => [{ mimeType: 'image/jpeg', data: big(3) }],
  failed: () => [{ mimeType: 'image/png', data: png }],
};
const parameters = { type: 'object', properties: { set: { type: 'string' } }, required: ['set'] };
const execute = ({ set }) => ({ content: 'taken', images: images[set](), isError: set === 'failed' });
export default {
  apply: ({ use }) => void use('tools').register({ name: 'camera', description: 'Takes pictures.', parameters, execute }),
};`;

test.before(async () => {
  world = await startWorld();
  const folder = join(world.service.directory, 'plugins', 'camera');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'service.plugin.json'), '{"name":"camera","version":"1.0.0","main":"index.mjs"}');
  writeFileSync(join(folder, 'index.mjs'), cameraPlugin);
  await world.killAndRestart();
});
test.after(() => world.close());

/** One message that makes the model call `camera` with each set at once. */
async function take(model: (typeof models)[number], ...sets: string[]) {
  const sessionId = await world.newSession(model);
  world.script(
    sets.map((set) => ({ toolCall: { name: 'camera', arguments: { set } } })),
    [{ text: 'seen' }],
  );
  const { status, error } = await turn(world.service, sessionId);
  assert.is(status, 'completed', error);
  const { session } = await world.service.client.readSession(sessionId);
  return {
    sessionId,
    results: session.messages.filter(({ role }) => role === 'tool'),
    request: valid(world.model.requests.at(-1)),
  };
}

function valid(request: RecordedRequest | undefined): string {
  assert.ok(request);
  assert.is(request.problem, undefined);
  return JSON.stringify(request.body.messages);
}

const countOf = (text: string, part: string) => text.split(part).length - 1;

for (const [what, images, status, code] of [
  ['no list', { 0: dot }, 400, 'invalid_images'],
  ['seven', Array(7).fill(dot), 400, 'invalid_images'],
  ['of another type', [{ ...dot, mimeType: 'image/svg+xml' }], 400, 'invalid_images'],
  ['without a type', [{ data: png }], 400, 'invalid_images'],
  ['no base64', [{ ...dot, data: '%%%%' }], 400, 'invalid_images'],
  ['empty', [{ ...dot, data: '' }], 400, 'invalid_images'],
  ['named too long', [{ ...dot, name: 'n'.repeat(121) }], 400, 'invalid_images'],
  ['over 4 MB', [{ ...dot, data: megabytes(5) }], 413, 'payload_too_large'],
  ['more than a body holds', Array(3).fill({ ...dot, data: megabytes(4) }), 413, 'payload_too_large'],
] as const)
  test(`of a message that are ${what} are refused: ${code}`, async () => {
    const { client } = world.service;
    const id = await world.newSession('chat');
    const refusal = await client
      .request('POST', `/api/sessions/${id}/messages`, { body: { content: 'look', images } })
      .catch((error: unknown) => error);
    assert.ok(isApiError(refusal), String(refusal));
    assert.equal([refusal.status, refusal.code], [status, code]);
    assert.is((await client.readSession(id)).session.messageCount, 0);
  });

for (const model of models) {
  test(`${model}: a message with images, and without text, reaches the model as parts; one without is a plain string`, async () => {
    const id = await world.newSession(model);
    world.script([{ text: 'a' }], [{ text: 'b' }], [{ text: 'c' }]);
    await turn(world.service, id, { content: 'plain words' });
    await world.service.client.sendAndWait(id, 'look', {
      images: [{ ...dot, data: `data:image/png;base64,${png}`, name: 'dot' }],
    });
    await world.service.client.sendAndWait(id, '', { images: [dot, dot] });
    const sent = valid(world.model.requests.at(-1));
    assert.match(sent, /"role":"user","content":"plain words"/);
    assert.is(countOf(sent, png), 3);
    assert.not.match(sent, /data:image\/png;base64,data:/);
    const { session } = await world.service.client.readSession(id);
    assert.equal(session.messages[2]?.images, [{ ...dot, name: 'dot' }]);
    assert.equal(session.messages[4]?.images, [dot, dot]);
  });

  test(`${model}: images of tools reach the model and the transcript; what breaks the rules is dropped with a marker`, async () => {
    const { results, request } = await take(model, 'good', 'bad', 'many', 'heavy', 'failed');
    assert.equal(
      results.map(({ images = [], isError }) => [images.length, isError]),
      [
        [1, false],
        [1, false],
        [6, false],
        [4, false],
        [1, true],
      ],
    );
    const [good, bad, many, heavy] = results.map(({ content }) => content);
    assert.is(good, 'taken');
    assert.match(bad ?? '', /image\/svg\+xml is not PNG.*\n.*no valid base64.*\n.*over 4 MB/);
    assert.is(countOf(many ?? '', '[image dropped: over 6 images in one call]'), 2);
    assert.is(countOf(heavy ?? '', '[image dropped: over 12 MB together]'), 1);
    assert.match(request, /image dropped: over 12 MB together/);
    assert.is(countOf(request, png), 9);
  });
}

test('survive kill -9 and a restart, with tool messages and their isError', async () => {
  const { sessionId, results } = await take('chat', 'good', 'failed');
  await world.killAndRestart();
  const { session } = await world.service.client.readSession(sessionId);
  assert.equal(
    session.messages.filter(({ role }) => role === 'tool'),
    results,
  );
  assert.equal(
    results.map(({ images, isError }) => [images?.[0]?.data, isError]),
    [
      [png, false],
      [png, true],
    ],
  );
});

test('sixty of 3 MB never make a request too large: the oldest become a line of text, for either provider', async () => {
  const { client } = world.service;
  const id = await world.newSession('chat');
  const calls = Array.from({ length: 60 }, () => ({ toolCall: { name: 'camera', arguments: { set: 'three' } } }));
  world.script(calls, [{ text: 'seen' }], [{ text: 'seen again' }]);
  for (const model of models) {
    await client.updateSession(id, { model });
    await client.sendMessage(id, { content: `look, ${model}` });
    const isOver = async () => (await client.listSessions()).sessions.every(({ status }) => status !== 'running');
    await eventually(30_000, isOver, 'the end of the run');
    const sent = valid(world.model.requests.at(-1));
    assert.ok(sent.length < 24 * 1024 * 1024, `${sent.length} characters`);
    const three = megabytes(3);
    assert.equal([countOf(sent, three), countOf(sent, 'left out to keep the request small')], [5, 55]);
    assert.ok(sent.lastIndexOf('left out to keep') < sent.indexOf(three), 'the newest stay');
  }
});

for (const model of models)
  test(`${model}: a provider that takes no images fails the run with its words, and rewinding gets the session going again`, async () => {
    const id = await world.newSession(model);
    world.script([{ status: 400, message: 'this model does not support image input' }], [{ text: 'words are fine' }]);
    const result = await world.service.client.sendAndWait(id, 'look', { images: [dot] });
    assert.equal([result.status, /does not support image input/.test(result.error ?? '')], ['failed', true]);
    const { session } = await world.service.client.readSession(id);
    await world.service.client.rewindSession(id, { messageId: session.messages[0]?.id ?? '' });
    assert.is((await turn(world.service, id, { content: 'words' })).status, 'completed');
  });

test.run();
