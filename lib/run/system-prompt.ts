import type { Undo } from '../base/clock.ts';
import { withinTime } from '../base/time-limits.ts';
import type { PromptSource } from '../plugin-api/services.ts';
import { abortable } from './abortable.ts';
import type { Run } from './run.ts';
import { sessionView } from './session-view.ts';

/** The paragraphs that plugins add to the system prompt. */
export interface Prompts {
  register(source: PromptSource): Undo;
  /** In the order of registration. */
  sources(): readonly PromptSource[];
}

/** A plugin that thinks longer about its paragraph is left out of the run, in milliseconds. */
const sourceTimeoutMs = 5_000;

export function createPrompts(): Prompts {
  const sources = new Set<PromptSource>();
  return {
    register(source) {
      sources.add(source);
      return () => sources.delete(source);
    },
    sources: () => [...sources],
  };
}

const defaultPrompt = `You are an agent that works for the person you talk to, inside one workspace directory.
Use the tools to look before you answer and to act when asked; paths are relative to the workspace.
Some tools wait for the person's approval; a declined call is their decision, so do not try to get around it.
Say what you did and what you found, briefly and truthfully; when something failed, say so.`;

const resumedPrompt =
  'This run continues one that was interrupted. Tool calls without a result were not executed again. Verify the state of the workspace before you go on.';

/**
 * Default, `agent.systemPrompt`, plugin prompts, those of the run's role, the session's own, the note for a resumed run, in this
 * order (DECISIONS.md, Runs). Plugins are asked once per run.
 */
export async function systemPromptOf(run: Run): Promise<string> {
  run.pluginPrompts ??= await askSources(run);
  const { systemPrompt } = run.session.record;
  const parts = [
    defaultPrompt,
    run.around.config.agent.systemPrompt,
    ...run.pluginPrompts,
    run.limits.instructions,
    systemPrompt,
  ];
  if (run.limits.resumed) parts.push(resumedPrompt);
  return parts.filter((part) => part !== undefined && part !== '').join('\n\n');
}

async function askSources(run: Run): Promise<string[]> {
  const sources = run.around.prompts.sources();
  if (sources.length === 0) return [];
  const view = sessionView(run.session.record);
  const answers = await Promise.all(sources.map((source) => askSource(run, () => source(view, run.signal))));
  return answers.flatMap((answer) => (answer ? run.around.hideSecrets(answer) : []));
}

async function askSource(run: Run, ask: () => ReturnType<PromptSource>): Promise<string | undefined> {
  const late = (): Error => new Error(`no answer within ${sourceTimeoutMs} ms`);
  try {
    const work = abortable(Promise.resolve(ask()), run.signal);
    const answer: unknown = await withinTime(run.around.clock, sourceTimeoutMs, { work, late });
    if (answer === undefined || typeof answer === 'string') return answer;
    throw new Error(`it gave a value of type ${typeof answer} instead of text`);
  } catch (error) {
    run.signal.throwIfAborted();
    run.around.log.warn('A plugin failed to give its part of the system prompt.', { error });
    return undefined;
  }
}
