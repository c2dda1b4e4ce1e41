import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Tool } from '../../lib/tools/tool.ts';
import { callOf, scriptedModel } from '../helpers/scripted-model.ts';
import { only, withSession } from '../helpers/with-app.ts';

const lines = suite('What a tool tells people is a line');

const base = { description: '', parameters: { type: 'object' } } as const;
const oneCall = (name: string) => scriptedModel([{ toolCalls: [callOf(name)] }, { content: 'done' }]);

lines('a notice is cut, whatever it is', () => {
  const tool: Tool = {
    ...base,
    name: 'chatty',
    execute(_args, { notify }) {
      notify('a'.repeat(1_000_000));
      notify({ some: 'object' } as unknown as string);
      return 'done';
    },
  };
  return withSession({ models: [oneCall('chatty')], tools: [tool] }, async (_app, { send, until }) => {
    await send('Go');
    const notices = only(await until('run.finished'), 'notice').map(({ message }) => message);
    assert.equal([notices.length, notices[0]?.length, notices[1]], [2, 2_000, '[object Object]']);
  });
});

lines('a description of a call is cut; one that is no text is replaced', () => {
  const descriptions: unknown[] = ['b'.repeat(1_000_000), Promise.resolve('later'), undefined];
  const tool: Tool = {
    ...base,
    name: 'act',
    permission: 'ask',
    describe: () => descriptions.shift() as string,
    execute: () => 'done',
  };
  const model = scriptedModel([{ toolCalls: ['a', 'b', 'c'].map((id) => callOf('act', {}, id)) }, { content: 'done' }]);
  return withSession({ models: [model], tools: [tool] }, async (app, { id, path, send, until }) => {
    await send('Go');
    const reasons: string[] = [];
    for (let at = 0; at < 3; at++) {
      await until('approval.requested');
      const [approval] = app.app.approvals.pendingOf(id);
      reasons.push(approval?.reason ?? '');
      await app.call('POST', `${path}/approvals/${approval?.id}`, { body: { approved: true } });
    }
    await until('run.finished');
    assert.is(reasons[0]?.length, 10_000);
    assert.equal(reasons.slice(1), ['The tool act needs approval.', 'The tool act needs approval.']);
  });
});

lines('what a tool throws is told to its author, with the stack, in the log of level debug', () => {
  const tool: Tool = {
    ...base,
    name: 'broken',
    execute: () => {
      throw new TypeError('x is not a function');
    },
  };
  return withSession({ models: [oneCall('broken')], tools: [tool] }, async (app, { send, until }) => {
    await send('Go');
    await until('run.finished');
    const line = app.lines.find((text) => text.includes('A tool threw.')) ?? '';
    assert.match(line, /DEBUG .*tool=broken error="x is not a function" errorStack=.*tool-lines/);
  });
});

lines.run();
