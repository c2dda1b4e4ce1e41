import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { PromptSource } from '../../lib/plugin-api/services.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { scriptedModel } from '../helpers/scripted-model.ts';
import { withSession } from '../helpers/with-app.ts';
import { eventually, within } from '../helpers/within.ts';

const prompts = suite(
  'A plugin that fails to give its paragraph of the system prompt is left out, and named in the log',
);

const good: PromptSource = () => 'Be brief.';

/** The system prompt of a run with these sources, of the plugins `p0`, `p1` ..., and what was logged of them. */
async function systemWith(...sources: PromptSource[]): Promise<{ system: string; lines: string[] }> {
  const model = scriptedModel();
  const clock = createFakeClock();
  let logged: string[] = [];
  await withSession({ models: [model], clock }, async ({ app, lines }, session) => {
    for (const [at, source] of sources.entries()) app.prompts.register(source, `p${at}`);
    const idle = clock.pending;
    await session.send('go');
    // Each answer is waited for with a timer of its own.
    await eventually(5_000, () => clock.pending > idle || model.requests.length > 0);
    await new Promise(setImmediate);
    clock.advance(5_000);
    await within(5_000, session.until('run.finished'));
    logged = lines.filter((line) => line.includes('part of the system prompt'));
  });
  return { system: model.requests[0]?.system ?? '', lines: logged };
}

for (const [what, source, why] of [
  ['a million characters and one', () => 'x'.repeat(1_000_001), 'it gave 1000001 characters, more than 1000000'],
  ['an answer that does not come within five seconds', () => new Promise(() => {}), 'no answer within 5000 ms'],
  ['a number', () => 7 as never, 'it gave a value of type number instead of text'],
  ['an error', () => Promise.reject(new Error('no paper')), 'no paper'],
] as const satisfies [string, PromptSource, string][])
  prompts(`${what}: the others' paragraphs are there`, async () => {
    const { system, lines } = await systemWith(good, source, () => 'Be kind.');
    assert.match(system, 'Be brief.\n\nBe kind.');
    assert.is(lines.length, 1);
    assert.match(lines[0] ?? '', 'plugin=p1');
    assert.match(lines[0] ?? '', why);
  });

prompts('a million characters are a paragraph; nothing is none', async () => {
  const { system, lines } = await systemWith(
    () => 'x'.repeat(1_000_000),
    () => undefined,
    () => '',
  );
  assert.ok(system.endsWith(`\n\n${'x'.repeat(1_000_000)}`));
  assert.equal(lines, []);
});

prompts.run();
