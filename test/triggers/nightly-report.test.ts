import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SessionDetail, SessionSummary } from '../../lib/wire/session.ts';
import { delegatingMany, teamModel } from '../delegation/team.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { callOf } from '../helpers/scripted-model.ts';
import { withApp } from '../helpers/with-app.ts';
import { eventually } from '../helpers/within.ts';
import { triggerApp } from './trigger-app.ts';

const story = suite('A nightly report writes itself');

const sources = ['tests', 'issues', 'traffic'];

const skill = `---
name: report
description: How the nightly report is written
---
Begin with the weather. Name every source.
`;

story('schedule, three sub-agents, memory, skill, result', async () => {
  const clock = createFakeClock(Date.UTC(2026, 5, 30, 23, 59, 50));
  const model = teamModel({
    nightly: [
      delegatingMany(sources.map((source) => ({ task: `look at ${source}`, role: 'researcher', title: source }))),
      (request) => {
        const findings = request.messages.at(-1)?.content ?? '';
        return {
          toolCalls: [callOf('memory_save', { content: `Findings: ${findings.length} characters`, tags: ['nightly'] })],
        };
      },
      { toolCalls: [callOf('use_skill', { name: 'report' })] },
      { toolCalls: [callOf('write_file', { path: 'report.md', content: 'Sunny. tests, issues, traffic: fine.' })] },
      (request) => ({ content: `The report of ${request.messages[0]?.content.slice(8, 18)} is in report.md.` }),
    ],
    look: [{ toolCalls: [callOf('list_files')] }, (request) => ({ content: `${request.messages[0]?.content}: fine` })],
  });
  const schedule = { id: 'nightly', cron: '0 0 * * *', title: 'Nightly report', prompt: 'nightly {{timestamp}}' };
  const others = { 'sub-agents': {}, memory: {}, skills: {}, 'core-tools': {} };
  await withApp(triggerApp({ schedules: [schedule] }, { models: [model], clock, others }), async (app) => {
    const folder = join(app.workspace, 'skills', 'report');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'SKILL.md'), skill);
    const stream = await app.events('/api/events');
    clock.advance(10_000);
    const root = (await eventuallyRoot()).id;
    await stream.until((event) => event.type === 'run.finished' && event.sessionId === root);
    await stream.close();

    const { messages, title, status, usage } = await app.detail(root);
    assert.is(title, 'Nightly report');
    assert.is(status, 'idle');
    assert.equal(
      messages.filter(({ role }) => role === 'tool').map(({ toolName, isError }) => [toolName, isError]),
      [
        ['delegate_many', false],
        ['memory_save', false],
        ['use_skill', false],
        ['write_file', false],
      ],
    );
    const findings = messages[2]?.content ?? '';
    assert.equal(
      [...findings.matchAll(/^## \d\. (\w+) \(researcher, completed\)\n\nlook at \1: fine$/gm)].map(([, name]) => name),
      sources,
    );
    assert.match(messages[6]?.content ?? '', /Begin with the weather/);
    assert.match(model.requests[0]?.system ?? '', /report: How the nightly report is written/);
    assert.is(messages.at(-1)?.content, 'The report of 2026-07-01 is in report.md.');
    assert.is(usage.totalTokens, 5 * 15);

    const children = (await sessions()).filter(({ parentId }) => parentId === root);
    assert.equal(
      children.map((child) => child.role),
      ['researcher', 'researcher', 'researcher'],
    );
    for (const child of children) {
      const detail: SessionDetail = await app.detail(child.id);
      assert.is(detail.messages[2]?.toolName, 'list_files');
      assert.is(detail.messages[2]?.isError, false);
    }
    const { schedules } = await app.call<{ schedules: { last: { sessionId: string } }[] }>('GET', '/api/triggers', {});
    assert.is(schedules[0]?.last.sessionId, root);

    async function sessions(): Promise<SessionSummary[]> {
      return (await app.call<{ sessions: SessionSummary[] }>('GET', '/api/sessions', {})).sessions;
    }
    async function eventuallyRoot(): Promise<SessionSummary> {
      await eventually(
        5_000,
        async () => (await sessions()).some(({ parentId }) => parentId === undefined),
        'the session',
      );
      return (await sessions()).find(({ parentId }) => parentId === undefined) as SessionSummary;
    }
  });
});

story.run();
