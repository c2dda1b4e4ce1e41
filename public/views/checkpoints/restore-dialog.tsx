import { useState } from 'preact/hooks';
import { messageOf } from '../../service/console.ts';
import { plural } from '../../state/format.ts';
import { useConsole } from '../context.tsx';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { useLoaded } from '../parts/hooks.ts';
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
  const [preview] = useLoaded(() => tools.api().previewRestore(sessionId, checkpointId), [sessionId, checkpointId]);
  const [busy, setBusy] = useState(false);
  const restore = async () => {
    setBusy(true);
    try {
      const { restored, safety } = await tools.api().restoreCheckpoint(sessionId, checkpointId);
      onClose();
      const undo = safety && { label: 'Undo', run: () => void undoRestore(tools, sessionId, safety.id) };
      tools.say(`Files are as in "${restored.label}".`, 'info', undo ?? undefined);
    } catch (error) {
      setBusy(false);
      tools.fail(error);
    }
  };
  return (
    <Dialog title="Restore files?" onClose={onClose} class="wide">
      {preview.state === 'loading' && <p>Comparing…</p>}
      {preview.state === 'failed' && <p class="problem">{messageOf(preview.error)}</p>}
      {preview.state === 'ready' && (
        <>
          <p>
            Files become as in "{preview.value.checkpoint.label}". The conversation stays. First we save: Before
            restoring "{preview.value.checkpoint.label}".
          </p>
          {preview.value.sharedWith.length > 0 && (
            <p class="banner warn">
              {plural(preview.value.sharedWith.length, 'other session works', 'other sessions work')} in the same
              directory
              {preview.value.sharedWith.some(({ running }) => running) ? ', and a run is active there' : ''}.
            </p>
          )}
          <ChangeList changes={preview.value} />
        </>
      )}
      <div class="dialog-actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button tone="primary" disabled={busy || preview.state !== 'ready'} onClick={() => void restore()}>
          Restore files
        </Button>
      </div>
    </Dialog>
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
