import { contextUse } from '../../state/estimate.ts';
import { compact, count, fullTime } from '../../state/format.ts';
import { statusWords } from '../../state/status-words.ts';
import { useConsole } from '../context.tsx';
import { Button } from '../parts/button.tsx';
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
  const facts: [string, string][] = [
    ['Id', summary.id],
    ['Status', statusWords[summary.status]],
    ['Model', summary.model],
    ['Workspace', summary.workspace],
    ['Created', fullTime(summary.createdAt)],
    ['Changed', fullTime(summary.updatedAt)],
    ['Messages', count(summary.messageCount)],
    ['Tokens', `${count(usage.inputTokens)} in, ${count(usage.outputTokens)} out, ${count(usage.totalTokens)} in all`],
    ...(usage.cachedInputTokens === undefined ? [] : [['Cached', count(usage.cachedInputTokens)] as [string, string]]),
    ...(usage.reasoningTokens === undefined ? [] : [['Reasoning', count(usage.reasoningTokens)] as [string, string]]),
    ...(use
      ? [
          ['Context', `about ${use.percent}% of ${compact(use.size)} tokens, summarised at ${use.threshold}%`] as [
            string,
            string,
          ],
        ]
      : []),
    ...(summary.role ? [['Role', summary.role] as [string, string]] : []),
  ];
  const prompt = detail.state === 'ready' ? detail.value.session.systemPrompt : undefined;
  return (
    <div class="page">
      <div class="column">
        <section class="card">
          <h2>This session</h2>
          <dl class="facts">
            {facts.map(([term, text]) => (
              <div key={term}>
                <dt>{term}</dt>
                <dd>{text}</dd>
              </div>
            ))}
          </dl>
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
