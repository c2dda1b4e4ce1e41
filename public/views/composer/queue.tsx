import { joinDrafts } from '../../state/drafts.ts';
import { plural } from '../../state/format.ts';
import type { Queued } from '../../state/queued.ts';
import { useConsole } from '../context.tsx';
import { Button } from '../parts/button.tsx';

/** Messages that wait for the run to end. They can be changed or taken back, and outlast a reload. */
export function Queue({ sessionId, running }: { sessionId: string; running: boolean }) {
  const { store, workbench, drafts } = useConsole();
  const entries = store.queue.value.get(sessionId) ?? [];
  if (entries.length === 0) return null;
  const edit = async (entry: Queued) => {
    const back = await workbench.queue.takeBack(entry);
    if (!back) return;
    drafts.set(sessionId, joinDrafts(drafts.get(sessionId), back.draft));
    dispatchEvent(new CustomEvent('service:draft', { detail: sessionId }));
  };
  return (
    <ul class="queue" aria-label="Sent when the run is over">
      {entries.map((entry, at) => (
        <li key={entry.id}>
          <span class="muted">{running ? 'queued' : 'not sent yet'}</span>
          <span class="queue-text">{entry.draft.text}</span>
          {entry.draft.images.length > 0 && <span class="muted">{plural(entry.draft.images.length, 'image')}</span>}
          {!running && at === 0 && <Button onClick={() => workbench.queue.send(sessionId)}>Send now</Button>}
          <Button icon="pencil" label="Edit queued message" tone="quiet" onClick={() => edit(entry)} />
          <Button
            icon="close"
            label="Remove queued message"
            tone="quiet"
            onClick={() => workbench.queue.takeBack(entry)}
          />
        </li>
      ))}
    </ul>
  );
}
