import { contextUse } from '../../state/estimate.ts';
import { compact, count, fullTime } from '../../state/format.ts';
import { statusWords } from '../../state/status-words.ts';
import { useConsole } from '../context.tsx';
import { Button } from '../parts/button.tsx';
import { Facts } from '../parts/facts.tsx';
import { useLoaded } from '../parts/hooks.ts';

/** The facts of a session. */
export function SessionInfo({ sessionId }: { sessionId: string }) {
  const { store, api, workbench } = useConsole();
  const summary = store.directory.value.sessions.get(sessionId);
  const [detail] = useLoaded(() => api().readSession(sessionId), [sessionId]);
  if (!summary) return null;
  const { usage } = summary;
  const open = store.open.get(sessionId);
  const use = open && contextUse(store, open);
  const prompt = detail.state === 'ready' ? detail.value.session.systemPrompt : undefined;
  return (
    <div class="page">
      <div class="column">
        <section class="card">
          <h2>This session</h2>
          <Facts
            of={{
              Id: summary.id,
              Status: statusWords[summary.status],
              Model: summary.model,
              Workspace: summary.workspace,
              Created: fullTime(summary.createdAt),
              Changed: fullTime(summary.updatedAt),
              Messages: count(summary.messageCount),
              Tokens: `${count(usage.inputTokens)} in, ${count(usage.outputTokens)} out, ${count(usage.totalTokens)} in all`,
              Cached: usage.cachedInputTokens === undefined ? undefined : count(usage.cachedInputTokens),
              Reasoning: usage.reasoningTokens === undefined ? undefined : count(usage.reasoningTokens),
              Context: use && `about ${use.percent}% of ${compact(use.size)} tokens, summarised at ${use.threshold}%`,
              Role: summary.role,
            }}
          />
        </section>
        {prompt && (
          <section class="card">
            <h2>Instructions of this session</h2>
            <pre class="command" tabIndex={0}>
              {prompt}
            </pre>
          </section>
        )}
        <p>
          <Button icon="trash" tone="danger" onClick={() => workbench.remove(sessionId)}>
            Delete this session
          </Button>
        </p>
      </div>
    </div>
  );
}
