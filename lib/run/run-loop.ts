import { callModel } from './call-model.ts';
import { compactIfNeeded } from './compaction.ts';
import { executeTool } from './execute-tool.ts';
import type { Run } from './run.ts';

/** The agent: ask the model, do what it says, ask again. Abort and failure leave by exception, caught once in runs.ts. */
export async function runLoop(run: Run): Promise<'completed' | 'max_steps'> {
  for (let step = 0; step < run.maxSteps; step++) {
    run.around.meter.step();
    await compactIfNeeded(run);
    const reply = await callModel(run);
    if (reply.toolCalls.length === 0) return 'completed';
    for (const call of reply.toolCalls) await executeTool(run, call);
  }
  const limit = run.limits.maxSteps === undefined ? 'model.maxSteps' : 'this run';
  run.notice('warn', `Stopped after ${run.maxSteps} steps, the limit of ${limit}.`);
  return 'max_steps';
}
