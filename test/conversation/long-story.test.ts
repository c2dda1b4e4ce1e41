import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SessionEvent } from '../../lib/client/index.ts';
import type { Reply } from '../helpers/scripted-model/script.ts';
import type { RecordedRequest } from '../helpers/scripted-model-server.ts';
import { within } from '../helpers/within.ts';
import { models, startWorld, type World } from './two-providers.ts';

const test = suite('A long conversation over two provider families');
const turns = Number(process.env.STORY_TURNS ?? 200);
const kills = 3;
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** What the model answers depends on what it is asked, as with a real one: summaries, rounds of parallel tools with thinking, then a reply. */
function answer({ body, wire }: RecordedRequest, number: number): Reply {
  const text = JSON.stringify(body);
  if (text.includes('You write the summary'))
    return [{ text: `Summary ${number}: pictures and notes were looked at.` }];
  const last = JSON.stringify((body.messages as unknown[]).at(-1));
  const isNewTurn = /turn \d+/.test(last);
  if (/wait for approval/.test(last))
    return [
      { toolCall: { name: 'read_file', arguments: { path: 'notes.txt' } } },
      { toolCall: { name: 'shell', arguments: { command: 'true' } } },
    ];
  if (/hold here/.test(last) && !isNewTurn) return [{ text: 'never ends' }, { hold: 'the kill' }];
  const usage = { usage: { input: Math.round(text.length / 4), output: 20 } };
  if (!isNewTurn || number % 5 === 0) return [{ text: `done ${number} ${'words '.repeat(30)}` }, usage];
  return [
    ...(wire === 'messages' ? [{ reasoning: `I think about ${number}.` }] : []),
    { text: 'Looking.' },
    { toolCall: { name: 'read_file', arguments: { path: 'notes.txt' }, fragments: 3 } },
    { toolCall: { name: 'read_file', arguments: { path: 'dot.png' }, fragments: 3 } },
    { toolCall: { name: 'list_files', arguments: {}, fragments: 3 } },
    usage,
  ];
}

/** Sends a message and follows the session to the end of the run, or to the first event that `until` wants. */
async function say(
  world: World,
  sessionId: string,
  content: string,
  until = isEnd,
  images?: { mimeType: 'image/png'; data: string }[],
) {
  const events: SessionEvent[] = [];
  const abort = new AbortController();
  const { client } = world.service;
  let sent: Promise<unknown> | undefined;
  const send = () =>
    content === ''
      ? client.resumeSession(sessionId)
      : client.sendMessage(sessionId, { content, ...(images ? { images } : {}) });
  const follow = async () => {
    const onOpen = () => {
      sent ??= send();
    };
    for await (const { event } of client.events({ sessionId, signal: abort.signal, onOpen })) {
      events.push(event);
      if (until(event)) break;
    }
    await sent;
  };
  await within(15_000, follow(), `the end of "${content}"`).finally(() => abort.abort());
  return events;
}

const isEnd = ({ type }: SessionEvent) => type === 'run.finished' || type === 'run.failed';

test(`${turns} turns, parallel tools, pictures, thinking, compaction, PATCH of the model, ${kills} times kill -9`, async () => {
  const world = await startWorld(
    { answer },
    { agent: { compaction: { keepRecent: 6 } }, provider: { contextWindow: 16_000, thinkingBudget: 1_024 } },
  );
  try {
    writeFileSync(join(world.service.workspace, 'notes.txt'), 'a line of notes\n'.repeat(60));
    writeFileSync(join(world.service.workspace, 'dot.png'), Buffer.from(png, 'base64'));
    mkdirSync(join(world.service.workspace, 'folder'));
    const id = await world.newSession('chat');
    const ends: string[] = [];
    let compactions = 0;
    let killed = 0;
    for (let number = 0; number < turns; number++) {
      if (number % 4 === 3)
        await world.service.client.updateSession(id, { model: models[(number >> 2) % 2] ?? 'chat' });
      const images = number % 7 === 0 ? [{ mimeType: 'image/png', data: png } as const] : undefined;
      const events = await say(world, id, `turn ${number} ${'text '.repeat(40)}`, isEnd, images);
      const end = events.at(-1);
      ends.push(end?.type === 'run.finished' ? end.status : JSON.stringify(end));
      compactions += events.filter(({ type }) => type === 'context.compacted').length;
      if (killed < kills && number === Math.floor(((killed + 1) * turns) / (kills + 1))) {
        // In the middle of a reply or of an approval: what was open is repaired by resume or by the next message.
        const inTools = killed === 1;
        await say(
          world,
          id,
          inTools ? 'wait for approval' : 'hold here',
          ({ type }) => type === (inTools ? 'approval.requested' : 'message.delta'),
        );
        await world.killAndRestart();
        killed += 1;
        const { session } = await world.service.client.readSession(id);
        assert.is(session.status, 'interrupted');
        world.model.release('the kill');
        if (killed !== 3) assert.is((await say(world, id, '')).at(-1)?.type, 'run.finished');
        world.model.hold('the kill');
      }
    }
    assert.equal(
      world.model.requests.flatMap(({ problem }) => problem ?? []),
      [],
      'no request was invalid',
    );
    assert.equal([...new Set(ends)], ['completed']);
    assert.ok(compactions >= 5, `${compactions} compactions`);
    const wires = new Set(world.model.requests.map(({ wire }) => wire));
    assert.is(wires.size, 2);
    const bodies = world.model.requests.map(({ body }) => JSON.stringify(body));
    assert.ok(
      bodies.some((body) => body.includes('image_url')) && bodies.some((body) => body.includes('"type":"image"')),
    );
    assert.ok(
      bodies.some((body) => body.includes('"signature":')),
      'thinking goes back',
    );
    const longest = bodies.reduce((most, body) => Math.max(most, body.length), 0);
    assert.ok(longest < 16_000 * 4 * 1.5, `the longest request has ${longest} characters`);
    const { session } = await world.service.client.readSession(id);
    assert.is(session.messageCount, session.messages.length);
    assert.ok(session.usage.totalTokens > 0);
  } finally {
    await world.close();
  }
});

test.run();
