import { useState } from 'preact/hooks';
import type { Checkpoint } from '../../../lib/wire/checkpoint.ts';
import { messageOf } from '../../service/message-of.ts';
import { bytes, fullTime, moment, plural } from '../../state/format.ts';
import { links } from '../../state/route.ts';
import { useConsole } from '../context.tsx';
import { Button } from '../parts/button.tsx';
import { Form } from '../parts/form.tsx';
import { useLoaded } from '../parts/hooks.ts';
import { FileChanges } from './file-changes.tsx';

/** The snapshots of the workspace, newest first, with what changed since each. */
export function CheckpointsPage({ sessionId }: { sessionId: string }) {
  const { api, store, fail, say } = useConsole();
  const running = store.directory.value.sessions.get(sessionId)?.status === 'running';
  const open = store.open.get(sessionId);
  const [list, again] = useLoaded(
    () => api().listCheckpoints(sessionId),
    [sessionId, running, open?.conversation.value.messages.length, store.layer.value === undefined],
  );
  const [label, setLabel] = useState('');
  const capture = async () => {
    try {
      const { checkpoint } = await api().createCheckpoint(sessionId, label.trim() ? { label: label.trim() } : {});
      setLabel('');
      say(`Saved "${checkpoint.label}".`);
      again();
    } catch (error) {
      fail(error);
    }
  };
  if (list.state === 'loading') return <p class="empty">Loading…</p>;
  if (list.state === 'failed') return <p class="empty problem">{messageOf(list.error)}</p>;
  const { enabled, reason, checkpoints, usage } = list.value;
  return (
    <div class="page">
      <div class="column">
        {reason && <p class="banner warn">{reason}</p>}
        {enabled && (
          <Form class="inline-form" onSubmit={capture}>
            <label class="field">
              Name of the snapshot
              <input
                value={label}
                maxLength={200}
                placeholder="for example: green tests"
                onInput={(event) => setLabel(event.currentTarget.value)}
              />
            </label>
            <Button type="submit" tone="primary">
              Snapshot now
            </Button>
          </Form>
        )}
        {!enabled && (
          <p class="empty">Checkpoints are off: files can't be restored.{reason ? '' : ' Set checkpoints.enabled.'}</p>
        )}
        {enabled && checkpoints.length === 0 && (
          <p class="empty">No checkpoints yet. Each message takes one before its run.</p>
        )}
        <ol class="timeline" aria-label="Checkpoints">
          {checkpoints.length > 0 && <li class="now muted">Now</li>}
          {checkpoints.map((checkpoint) => (
            <Entry key={checkpoint.id} sessionId={sessionId} checkpoint={checkpoint} running={running} />
          ))}
        </ol>
        {usage && <p class="note">{bytes(usage.bytes)} on disk for all snapshots of this workspace</p>}
      </div>
    </div>
  );
}

function Entry({ sessionId, checkpoint, running }: { sessionId: string; checkpoint: Checkpoint; running: boolean }) {
  const { store, api } = useConsole();
  const [open, setOpen] = useState(false);
  const { id, label, createdAt, files, messageId, skipped } = checkpoint;
  return (
    <li>
      <div class="line">
        <div class="label">
          {label}
          <div class="meta">
            <time dateTime={createdAt} title={fullTime(createdAt)}>
              {moment(createdAt)}
            </time>
            <span>{plural(files, 'file')}</span>
            {skipped ? <span>{skipped} too large, left out</span> : null}
            {messageId && <a href={links.message(sessionId, messageId)}>Go to the message</a>}
          </div>
        </div>
        <Button tone="quiet" expanded={open} onClick={() => setOpen(!open)}>
          Changes since
        </Button>
        <Button
          disabled={running}
          label={running ? 'Possible when the run is over' : undefined}
          onClick={() => {
            store.layer.value = { name: 'restore', sessionId, checkpointId: id };
          }}
        >
          Restore
        </Button>
      </div>
      {open && <FileChanges load={() => api().diffCheckpoint(sessionId, id)} keys={[sessionId, id]} />}
    </li>
  );
}
