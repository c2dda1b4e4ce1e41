import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ModelRequest } from '../../lib/models/model.ts';
import { callOf } from '../helpers/scripted-model.ts';
import type { TestApp } from '../helpers/test-app.ts';
import type { TestSession } from '../helpers/with-app.ts';
import { askTool, autoTool, childrenIn, delegating, resultOf, teamModel, withTeam } from './team.ts';

const roles = suite('Roles decide over prompt, tools and model of a child');

async function childToolsOf(app: TestApp, session: TestSession, requests: readonly ModelRequest[]) {
  await resultOf(session);
  const [child] = await childrenIn(app);
  const tools = requests[1]?.tools.map(({ name }) => name) ?? [];
  return { child: await app.detail(child?.id ?? ''), tools };
}

const named = [autoTool('read_file'), autoTool('write_file'), askTool('shell')];

roles('general has every tool but those that wait for approval', async () => {
  const model = teamModel({ boss: [delegating('worker')] });
  await withTeam({ models: [model], tools: named }, async (app, session) => {
    const { tools } = await childToolsOf(app, session, model.requests);
    assert.equal(tools, ['delegate', 'delegate_many', 'read_file', 'write_file']);
  });
});

roles('exposeApprovalTools adds them', async () => {
  const model = teamModel({ boss: [delegating('worker')] });
  await withTeam({ models: [model], tools: named, config: { exposeApprovalTools: true } }, async (app, session) => {
    const { tools } = await childToolsOf(app, session, model.requests);
    assert.ok(tools.includes('shell'));
  });
});

roles('a reviewer can look and not touch', async () => {
  const model = teamModel({
    boss: [delegating('worker', { role: 'reviewer' })],
    worker: [{ toolCalls: [callOf('write_file')] }],
  });
  await withTeam({ models: [model], tools: named }, async (app, session) => {
    const { tools, child } = await childToolsOf(app, session, model.requests);
    assert.equal(tools, ['read_file']);
    assert.match(child.messages[2]?.content ?? '', /There is no tool "write_file". There are: read_file./);
  });
});

roles('a configured role brings its prompt, tools and model, and may replace a built-in one', async () => {
  const other = teamModel({}, 'other');
  const model = teamModel({ boss: [delegating('worker', { role: 'poet' })] });
  const config = {
    roles: { poet: { prompt: 'Rhyme.', tools: ['read_file'], model: 'other' }, general: { prompt: 'G' } },
  };
  await withTeam({ models: [model, other], tools: named, config }, async (app, session) => {
    await resultOf(session);
    const [child] = await childrenIn(app);
    assert.is(child?.model, 'other');
    assert.is(child?.role, 'poet');
    assert.equal(
      other.requests[0]?.tools.map(({ name }) => name),
      ['read_file'],
    );
    assert.match(other.requests[0]?.system ?? '', /Rhyme\.$/);
    const description = model.requests[0]?.tools.find(({ name }) => name === 'delegate')?.description ?? '';
    assert.match(description, /- general: G\n- researcher: .*\n- reviewer: .*\n- implementer: .*\n- poet: Rhyme\./);
  });
});

roles('a restricted child that may delegate gives no more than it has', async () => {
  const model = teamModel({ boss: [delegating('lead', { role: 'lead' })], lead: [delegating('worker')] });
  const config = { roles: { lead: { prompt: 'Lead.', tools: ['delegate', 'read_file'] } } };
  await withTeam({ models: [model], tools: named, config }, async (_app, session) => {
    await resultOf(session);
    const worker = model.requests.find(({ messages }) => messages[0]?.content === 'worker');
    assert.equal(
      worker?.tools.map(({ name }) => name),
      ['read_file'],
    );
  });
});

roles('an unknown role is refused before anything starts', async () => {
  const model = teamModel({ boss: [delegating('worker', { role: 'wizard' })] });
  await withTeam({ models: [model] }, async (app, session) => {
    const result = await resultOf(session);
    assert.is(result.ok, false);
    assert.match(result.content, /role/);
    assert.equal(await childrenIn(app), []);
  });
});

for (const config of [{ maxDepth: -1 }, { maxConcurrent: 0.5 }, { roles: { poet: { tools: [] } } }, { maxFanOut: 0 }])
  roles(`the options ${JSON.stringify(config)} fail at plugin load`, async () => {
    await withTeam({ models: [teamModel({})], config }, async ({ app }) => {
      assert.is(app.plugins.list().find(({ id }) => id === 'sub-agents')?.state, 'failed');
    });
  });

roles.run();
