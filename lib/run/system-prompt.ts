import { abortable } from '../base/abortable.ts';
import type { Undo } from '../base/clock.ts';
import { withinTime } from '../base/time-limits.ts';
import type { PromptSource } from '../plugin-api/services.ts';
import type { SessionView } from '../tools/tool.ts';
import type { Run } from './run.ts';
import { sessionView } from './session-view.ts';

/** The paragraphs that plugins add to the system prompt. */
export interface Prompts {
  register(source: PromptSource, pluginId?: string): Undo;
  /** In the order of registration. */
  sources(): readonly RegisteredSource[];
}

export interface RegisteredSource {
  ask: PromptSource;
  pluginId: string | undefined;
}

/** A plugin that thinks longer about its paragraph is left out of the run, in milliseconds. */
const sourceTimeoutMs = 5_000;
/** Characters of a paragraph; one that is longer would leave no room for the conversation, and is left out, too. */
const longestParagraph = 1_000_000;

export function createPrompts(): Prompts {
  const sources = new Set<RegisteredSource>();
  return {
    register(ask, pluginId) {
      if (typeof ask !== 'function') throw new Error('A prompt source must be a function.');
      const source = { ask, pluginId };
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
  const answers = await Promise.all(sources.map((source) => askSource(run, source, view)));
  return answers.flatMap((answer) => (answer ? run.around.hideSecrets(answer) : []));
}

async function askSource(
  run: Run,
  { ask, pluginId }: RegisteredSource,
  view: SessionView,
): Promise<string | undefined> {
  const late = (): Error => new Error(`no answer within ${sourceTimeoutMs} ms`);
  try {
    const work = abortable(Promise.resolve(ask(view, run.signal)), run.signal);
    const answer: unknown = await withinTime(run.around.clock, sourceTimeoutMs, { work, late });
    if (answer === undefined) return undefined;
    if (typeof answer !== 'string') throw new Error(`it gave a value of type ${typeof answer} instead of text`);
    if (answer.length <= longestParagraph) return answer;
    throw new Error(`it gave ${answer.length} characters, more than ${longestParagraph}`);
  } catch (error) {
    run.signal.throwIfAborted();
    run.around.log.warn('A plugin failed to give its part of the system prompt.', { plugin: pluginId, error });
    return undefined;
  }
}
