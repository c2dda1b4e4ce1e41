import { messageOf } from '../base/caught.ts';
import { messageEvent } from '../session/wire-message.ts';
import type { StoredMessage } from '../wire/message.ts';
import { askModel } from './ask-model.ts';
import { offeredTools } from './model-request.ts';
import { renderForSummary } from './render-history.ts';
import type { Run } from './run.ts';
import { systemPromptOf } from './system-prompt.ts';
import { withRetries } from './with-retries.ts';

const summaryPrompt = `You write the summary that replaces the oldest part of a conversation between a person and an agent that works with tools.
Keep what the agent needs to go on: the person's goals and constraints in their words, decisions, facts found, files read or changed with their paths, commands and their outcome, errors, and what is still open. Leave out pleasantries. Answer with the summary alone.`;

/** A run that failed this often to make room does not try again: every attempt costs a model call. */
const mostFailures = 3;

/**
 * A summary may be longer than what it replaces by so many tokens: the contract replaces short turns too. One that is much longer
 * is no summary, and would fill the window that it is to clear.
 */
const mostGrowth = 500;

/**
 * Replaces the oldest turns by a summary when the prompt would cross the threshold (contract: Compaction). At most one
 * attempt per step. Never fails the run.
 */
export async function compactIfNeeded(run: Run): Promise<void> {
  const { enabled, threshold, fallbackContextWindow } = run.around.config.agent.compaction;
  if (!enabled || run.failedCompactions >= mostFailures) return;
  const window = run.model.info.contextWindow ?? fallbackContextWindow;
  if ((await promptSize(run)) < threshold * window) return;
  await compact(run);
}

/** One compaction whatever the size; false when the history was left as it is. */
export async function compact(run: Run): Promise<boolean> {
  const { session, around } = run;
  const cut = findCut(session.messages, around.config.agent.compaction.keepRecent);
  if (cut === undefined) return false;
  run.enter('compacting');
  const before = await promptSize(run);
  const summary = await summarise(run, session.messages.slice(0, cut));
  if (!summary) {
    run.failedCompactions += 1;
    return false;
  }
  await run.accepted;
  const draft = run.newMessage('assistant', { content: summary, model: run.model.info.id });
  const overhead = before - around.estimator.messages(session.messages);
  const kept = session.messages.slice(cut);
  const after = overhead + around.estimator.messages([draft, ...kept]);
  if (after > before + mostGrowth) {
    run.failedCompactions += 1;
    run.notice(
      'warn',
      'Compaction made no room: the summary is much longer than what it replaces. The history was kept.',
    );
    return false;
  }
  const message = { ...draft, meta: { compacted: cut, tokensBefore: before, tokensAfter: after } };
  await session.commit(
    { kind: 'compacted', removed: cut, summary: message, fields: { usage: session.record.usage } },
    () => [
      messageEvent('message.completed', { store: around.store, session, message }),
      {
        type: 'context.compacted',
        sessionId: session.id,
        removedMessages: cut,
        keptMessages: kept.length,
        tokensBefore: before,
        tokensAfter: after,
      },
    ],
  );
  return true;
}

/**
 * How many messages go: the cut lands on a user message, at least two go and about `keepRecent` stay.
 * Undefined when there is no such place.
 */
export function findCut(messages: readonly StoredMessage[], keepRecent: number): number | undefined {
  for (let index = messages.length - Math.max(1, keepRecent); index >= 2; index--)
    if (messages[index]?.role === 'user') return index;
  return undefined;
}

async function promptSize(run: Run): Promise<number> {
  const { estimator } = run.around;
  return estimator.messages(run.session.messages) + estimator.prompt(await systemPromptOf(run), offeredTools(run));
}

async function summarise(run: Run, removed: readonly StoredMessage[]): Promise<string | undefined> {
  const { model } = run;
  const window = model.info.contextWindow ?? run.around.config.agent.compaction.fallbackContextWindow;
  const content = renderForSummary(removed, Math.floor(window * 2));
  const request = {
    sessionId: run.session.id,
    system: summaryPrompt,
    messages: [{ role: 'user', content } as const],
    tools: [],
  };
  try {
    let hasStreamed = false;
    const onDelta = (): void => {
      hasStreamed = true;
    };
    const completion = await withRetries(
      run,
      () => hasStreamed,
      () => askModel(run, request, onDelta),
    );
    await run.addUsage(completion.usage);
    if (completion.content.trim() !== '') return completion.content.trim();
    run.notice('warn', 'Compaction got no summary from the model; the history was kept.');
  } catch (error) {
    run.signal.throwIfAborted();
    run.notice('warn', `Compaction failed, the history was kept: ${messageOf(error)}`);
  }
  return undefined;
}
