import { useState } from 'preact/hooks';
import type { Message, ShownImage } from '../../state/conversation.ts';
import type { DraftImage } from '../../state/drafts.ts';
import { moment, plural } from '../../state/format.ts';
import { useConsole, type ViewTools } from '../context.tsx';
import { Button } from '../parts/button.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { useLoaded, useOnce } from '../parts/hooks.ts';
import { RestorePreview, undoRestore } from './restore-dialog.tsx';

interface RewindProps {
  sessionId: string;
  messageId: string;
  /** Puts the message into the composer afterwards. */
  edit: boolean;
  onClose: () => void;
}

/** Says both effects of a rewind, on the conversation and on files, and lets the files be left alone. */
export function RewindDialog({ sessionId, messageId, edit, onClose }: RewindProps) {
  const tools = useConsole();
  const { api, store } = tools;
  const messages = store.open.get(sessionId)?.conversation.value.messages ?? [];
  const at = messages.findIndex(({ id }) => id === messageId);
  const [[target, removed]] = useState<[Message | undefined, number]>(() => [messages[at], messages.length - at]);
  const [list] = useLoaded(() => api().listCheckpoints(sessionId), [sessionId]);
  const [files, setFiles] = useState(true);
  const [busy, once] = useOnce();
  const state = list.state === 'ready' ? list.value : undefined;
  const checkpoint = state?.checkpoints.find((entry) => entry.messageId === messageId);
  const why =
    state && !checkpoint ? (state.reason ?? 'No snapshot is linked to this message, so files stay as they are.') : '';
  const run = async () => {
    if (list.state === 'loading') return;
    try {
      await rewind(tools, { sessionId, messageId, restoreFiles: files && checkpoint !== undefined });
      onClose();
      // The dialog gives the focus back first; the composer takes it then.
      await new Promise(requestAnimationFrame);
      if (edit && target) await prefill(tools, sessionId, target);
    } catch (error) {
      tools.fail(error);
    }
  };
  if (!target) return null;
  return (
    <Dialog
      title={edit ? 'Edit this message?' : 'Rewind to before this message?'}
      onClose={onClose}
      onConfirm={() => once(run)}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          once(run);
        }}
      >
        <blockquote class="muted">{target.content.slice(0, 200) || 'Images without text'}</blockquote>
        <p>
          {removed === 1 ? 'This message is removed' : `${plural(removed, 'message')} from here on are removed`}. That
          can't be undone.
        </p>
        {list.state === 'loading' && <p class="note">Looking for a snapshot…</p>}
        {checkpoint && (
          <label class="check">
            <input
              type="checkbox"
              data-first
              checked={files}
              onChange={(event) => setFiles(event.currentTarget.checked)}
            />
            Also restore files to {moment(checkpoint.createdAt)}
          </label>
        )}
        {checkpoint && files && <RestorePreview sessionId={sessionId} checkpointId={checkpoint.id} />}
        {why && <p class="note">{why}</p>}
        <div class="dialog-actions">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" tone="danger" keys="Ctrl Enter" disabled={busy || list.state === 'loading'}>
            {edit ? 'Rewind and edit' : 'Rewind'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

async function rewind(
  tools: ViewTools,
  { sessionId, ...target }: { sessionId: string; messageId: string; restoreFiles: boolean },
): Promise<void> {
  const { restored, safety, warning } = await tools.api().rewindSession(sessionId, target);
  if (warning) return void tools.say(warning, 'danger');
  const undo =
    restored && safety
      ? { label: 'Undo file restore', run: () => void undoRestore(tools, sessionId, safety.id) }
      : undefined;
  tools.say(restored ? 'Rewound. Files restored.' : 'Rewound. Files stay as they are.', 'info', undo);
}

async function prefill(tools: ViewTools, sessionId: string, message: Message): Promise<void> {
  const images = await Promise.all((message.images ?? []).map((image) => draftOf(tools, sessionId, image)));
  const typed = tools.drafts.get(sessionId);
  const text = [message.content, typed.text].filter(Boolean).join('\n');
  tools.drafts.set(sessionId, { text, images: [...images, ...typed.images] });
  dispatchEvent(new CustomEvent('service:draft', { detail: sessionId }));
}

async function draftOf(tools: ViewTools, sessionId: string, image: ShownImage): Promise<DraftImage> {
  const { mimeType, name = 'image' } = image;
  const bytes =
    'hash' in image
      ? new Uint8Array(await (await tools.readImage(sessionId, image.hash)).arrayBuffer())
      : Uint8Array.from(atob(image.data), (sign) => sign.charCodeAt(0));
  let binary = '';
  for (let at = 0; at < bytes.length; at += 32_768) binary += String.fromCharCode(...bytes.subarray(at, at + 32_768));
  return { id: `${name}-${performance.now()}`, name, mimeType, data: btoa(binary) };
}
