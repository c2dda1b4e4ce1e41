import { useState } from 'preact/hooks';
import type { WorkspaceEntry } from '../../../lib/wire/workspace.ts';
import { bytes } from '../../state/format.ts';
import { links } from '../../state/route.ts';
import { useConsole } from '../context.tsx';
import { useLoaded } from '../parts/hooks.ts';
import { Icon } from '../parts/icon.tsx';
import { Pending } from '../parts/pending.tsx';
import { FileViewer } from './file-viewer.tsx';

/** The workspace of a session: a tree that opens as it is needed, and one file. */
export function FilesPage({ sessionId, path, line }: { sessionId: string; path: string; line: number | undefined }) {
  return (
    <div class={path === '' ? 'files' : 'files with-file'}>
      <nav class="file-tree" aria-label="Files">
        <Folder sessionId={sessionId} folder="." open={path} />
      </nav>
      {path === '' ? (
        <p class="empty">Choose a file.</p>
      ) : (
        <FileViewer key={path} sessionId={sessionId} path={path} line={line} />
      )}
    </div>
  );
}

function Folder({ sessionId, folder, open }: { sessionId: string; folder: string; open: string }) {
  const { api } = useConsole();
  const [listing] = useLoaded(() => api().listFiles(sessionId, folder), [sessionId, folder]);
  if (listing.state !== 'ready') return <Pending of={listing} small />;
  const { entries, truncated } = listing.value;
  return (
    <ul>
      {entries.map((entry) => (
        <li key={entry.path}>
          {entry.type === 'directory' ? (
            <Directory sessionId={sessionId} entry={entry} open={open} />
          ) : (
            <a
              class="tree-entry"
              href={links.files(sessionId, entry.path)}
              aria-current={open === entry.path ? 'page' : undefined}
              title={entry.size === undefined ? entry.name : `${entry.name}, ${bytes(entry.size)}`}
            >
              <Icon name="file" />
              {entry.name}
            </a>
          )}
        </li>
      ))}
      {entries.length === 0 && <li class="note">Empty</li>}
      {truncated && <li class="note">The first 500 entries are shown. Use a search tool for the rest.</li>}
    </ul>
  );
}

function Directory({ sessionId, entry, open }: { sessionId: string; entry: WorkspaceEntry; open: string }) {
  const [expanded, setExpanded] = useState(open.startsWith(`${entry.path}/`));
  return (
    <>
      <button type="button" class="tree-entry" aria-expanded={expanded} onClick={() => setExpanded(!expanded)}>
        <Icon name={expanded ? 'down' : 'right'} />
        <Icon name="folder" />
        {entry.name}
      </button>
      {expanded && <Folder sessionId={sessionId} folder={entry.path} open={open} />}
    </>
  );
}
