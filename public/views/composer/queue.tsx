import { useConsole } from '../context.tsx';
import { Button } from '../parts/button.tsx';

/** Messages that wait for the run to end. They can be changed or taken back. */
export function Queue({ sessionId }: { sessionId: string }) {
  const { store, workbench, drafts } = useConsole();
  const queue = store.queue.value.get(sessionId) ?? [];
  if (queue.length === 0) return null;
  const without = (at: number) => queue.filter((_, index) => index !== at);
  const edit = (at: number) => {
    const draft = queue[at];
    if (!draft) return;
    drafts.set(sessionId, draft);
    workbench.setQueue(sessionId, without(at));
    dispatchEvent(new CustomEvent('service:draft', { detail: sessionId }));
  };
  return (
    <ul class="queue" aria-label="Sent when the run is over">
      {queue.map((draft, at) => (
        <li key={at}>
          <span class="muted">queued</span>
          <span class="queue-text">{draft.text || 'images'}</span>
          <Button icon="pencil" label="Edit queued message" tone="quiet" onClick={() => edit(at)} />
          <Button
            icon="close"
            label="Remove queued message"
            tone="quiet"
            onClick={() => workbench.setQueue(sessionId, without(at))}
          />
        </li>
      ))}
    </ul>
  );
}
