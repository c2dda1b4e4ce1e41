import { useEffect, useState } from 'preact/hooks';
import { plural } from '../../state/format.ts';
import { useConsole } from '../context.tsx';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { useLoaded } from '../parts/hooks.ts';
import { Pending } from '../parts/pending.tsx';
import { ChangeList } from './file-changes.tsx';

/** Says what a restore does, and to whom, before it is done. */
export function RestoreDialog({
  sessionId,
  checkpointId,
  onClose,
}: {
  sessionId: string;
  checkpointId: string;
  onClose: () => void;
}) {
  const tools = useConsole();
  const [ready, setReady] = useState(false);
  const restore = async () => {
    try {
      const { restored, safety, warning } = await tools.api().restoreCheckpoint(sessionId, checkpointId);
      onClose();
      const undo = safety && { label: 'Undo', run: () => void undoRestore(tools, sessionId, safety.id) };
      tools.say(warning ?? `Files are as in "${restored.label}".`, warning ? 'danger' : 'info', undo ?? undefined);
    } catch (error) {
      tools.fail(error);
    }
  };
  return (
    <Dialog title="Restore files?" onClose={onClose} class="wide">
      <p>The conversation stays as it is.</p>
      <RestorePreview sessionId={sessionId} checkpointId={checkpointId} onReady={() => setReady(true)} />
      <div class="dialog-actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button tone="primary" disabled={!ready} onClick={restore}>
          Restore files
        </Button>
      </div>
    </Dialog>
  );
}

/** What a restore would do to the files as they are now, to whom, and what is saved before. */
export function RestorePreview({
  sessionId,
  checkpointId,
  onReady,
}: {
  sessionId: string;
  checkpointId: string;
  onReady?: () => void;
}) {
  const { api } = useConsole();
  const [preview] = useLoaded(() => api().previewRestore(sessionId, checkpointId), [sessionId, checkpointId]);
  useEffect(() => {
    if (preview.state === 'ready') onReady?.();
  }, [preview.state]);
  if (preview.state !== 'ready') return <Pending of={preview} words="Comparing…" small />;
  const { checkpoint, sharedWith } = preview.value;
  const others = plural(sharedWith.length, 'other session works', 'other sessions work');
  const active = sharedWith.some(({ running }) => running) ? ', and a run is active there' : '';
  return (
    <div class="restore-preview">
      <ChangeList changes={preview.value} />
      {sharedWith.length > 0 && (
        <p class="banner warn">
          {others} in the same directory{active}.
        </p>
      )}
      <p class="note">First we save: Before restoring "{checkpoint.label}", so that it can be undone.</p>
    </div>
  );
}

/** Puts the files back as they were before a restore. */
export async function undoRestore(
  { api, say, fail }: Pick<ReturnType<typeof useConsole>, 'api' | 'say' | 'fail'>,
  sessionId: string,
  safetyId: string,
): Promise<void> {
  try {
    await api().restoreCheckpoint(sessionId, safetyId);
    say('The restore was undone.');
  } catch (error) {
    fail(error);
  }
}
