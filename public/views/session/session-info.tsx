import { count, fullTime } from '../../state/format.ts';
import { useConsole } from '../context.tsx';
import { useLoaded } from '../parts/hooks.ts';

/** The facts of a session. */
export function SessionInfo({ sessionId }: { sessionId: string }) {
  const { store, api } = useConsole();
  const summary = store.directory.value.sessions.get(sessionId);
  const [detail] = useLoaded(() => api().readSession(sessionId), [sessionId]);
  if (!summary) return null;
  const { usage } = summary;
  const facts: [string, string][] = [
    ['Id', summary.id],
    ['Status', summary.status],
    ['Model', summary.model],
    ['Workspace', summary.workspace],
    ['Created', fullTime(summary.createdAt)],
    ['Changed', fullTime(summary.updatedAt)],
    ['Messages', count(summary.messageCount)],
    ['Tokens', `${count(usage.inputTokens)} in, ${count(usage.outputTokens)} out, ${count(usage.totalTokens)} in all`],
    ...(usage.cachedInputTokens === undefined ? [] : [['Cached', count(usage.cachedInputTokens)] as [string, string]]),
    ...(usage.reasoningTokens === undefined ? [] : [['Reasoning', count(usage.reasoningTokens)] as [string, string]]),
    ...(summary.role ? [['Role', summary.role] as [string, string]] : []),
  ];
  const prompt = detail.state === 'ready' ? detail.value.session.systemPrompt : undefined;
  return (
    <div class="page">
      <div class="column">
        <dl class="facts">
          {facts.map(([term, text]) => (
            <div key={term}>
              <dt>{term}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
        {prompt && (
          <section class="card">
            <h2>Instructions of this session</h2>
            <pre class="command" tabIndex={0}>
              {prompt}
            </pre>
          </section>
        )}
      </div>
    </div>
  );
}
