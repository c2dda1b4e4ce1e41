import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startWorld, turn } from './two-providers.ts';

const test = suite('Thinking blocks with signatures');

test('go back unchanged inside a turn of tool calls, also after kill -9, and never to another provider', async () => {
  const world = await startWorld({}, { provider: { thinkingBudget: 1_024 } });
  const content = (at: number) => JSON.stringify(world.model.requests.at(at)?.body.messages);
  try {
    writeFileSync(join(world.service.workspace, 'a.txt'), 'hello');
    const id = await world.newSession('messages');
    const look = { toolCall: { name: 'read_file', arguments: { path: 'a.txt' } } };
    world.script(
      [{ reasoning: ['I look ', 'first.'] }, { text: 'Looking.' }, look],
      [{ reasoning: 'Once more.' }, look],
      [{ text: 'hello' }],
    );
    assert.is((await turn(world.service, id)).status, 'completed');
    const sent = content(-1);
    assert.match(
      sent,
      /\{"type":"thinking","thinking":"I look first\.","signature":"[^"]+"\},\{"type":"text","text":"Looking\."\},\{"type":"tool_use"/,
    );
    assert.match(sent, /\{"type":"thinking","thinking":"Once more\.","signature":"[^"]+"\},\{"type":"tool_use"/);

    const { session } = await world.service.client.readSession(id);
    const thoughts = session.messages.filter(({ role }) => role === 'assistant');
    assert.equal(
      thoughts.map(({ reasoning }) => reasoning),
      ['I look first.', 'Once more.', undefined],
    );
    assert.match(JSON.stringify(thoughts[0]?.meta), /"signature":/);

    await world.killAndRestart();
    assert.equal((await world.service.client.readSession(id)).session.messages, session.messages);

    world.script([look, { reasoning: 'my own thought' }], [{ text: 'ok' }]);
    await world.service.client.updateSession(id, { model: 'chat' });
    assert.is((await turn(world.service, id)).status, 'completed');
    assert.not.match(content(-1), /signature|I look first/);

    world.script([{ reasoning: 'Back.' }, look], [{ text: 'ok' }]);
    await world.service.client.updateSession(id, { model: 'messages' });
    assert.is((await turn(world.service, id)).status, 'completed');
    assert.match(content(-1), /"thinking":"Back\."/);
    assert.not.match(content(-1), /my own thought/);
    assert.equal(
      world.model.requests.flatMap(({ problem }) => problem ?? []),
      [],
    );
  } finally {
    await world.close();
  }
});

test.run();
