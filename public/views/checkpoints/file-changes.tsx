import type { FileChanges as Changes, FileChange } from '../../../lib/wire/checkpoint.ts';
import { UnifiedDiff } from '../chat/diff.tsx';
import { useLoaded } from '../parts/hooks.ts';
import { Pending } from '../parts/pending.tsx';

const reasons = { binary: 'not text', large: 'too large to compare', limit: 'too many changes to compare all' };

/** What happened to files, each with its diff. */
export function FileChanges({ load, keys }: { load: () => Promise<Changes>; keys: readonly unknown[] }) {
  const [changes] = useLoaded(load, keys);
  if (changes.state !== 'ready') return <Pending of={changes} words="Comparing…" small />;
  return <ChangeList changes={changes.value} />;
}

export function ChangeList({ changes: { added, changed, deleted, changes, truncated } }: { changes: Changes }) {
  if (added + changed + deleted === 0) return <p class="note">No file differs.</p>;
  return (
    <div class="file-changes">
      <p class="note">
        {added} added, {changed} changed, {deleted} deleted
        {truncated ? '; the first are shown' : ''}
      </p>
      {changes.map((change) => (
        <Change key={change.path} change={change} />
      ))}
    </div>
  );
}

function Change({ change: { path, status, patch, omitted } }: { change: FileChange }) {
  const name = (
    <>
      <span class={status === 'added' ? 'added' : status === 'deleted' ? 'deleted' : 'muted'}>{status}</span> {path}
    </>
  );
  // A preview names files and does not look into them.
  if (patch === undefined && !omitted) return <p class="file-change">{name}</p>;
  return (
    <details class="file-change">
      <summary>{name}</summary>
      {patch ? (
        <UnifiedDiff patch={patch} />
      ) : (
        <p class="note">{omitted ? reasons[omitted] : 'No difference in text.'}</p>
      )}
    </details>
  );
}
