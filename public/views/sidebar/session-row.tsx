import { useState } from 'preact/hooks';
import type { SessionSummary } from '../../../lib/wire/session.ts';
import { ago, plural } from '../../state/format.ts';
import { links } from '../../state/route.ts';
import type { SessionNode } from '../../state/session-tree.ts';
import { statusWords } from '../../state/status-words.ts';
import { useConsole } from '../context.tsx';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';

interface RowProps {
  node: SessionNode;
  open: string | undefined;
  onOpen: () => void;
}

/** One session, with its sub-agents below it: open while one of them works or waits. */
export function SessionRow({ node, open, onOpen }: RowProps) {
  const { session, children, waits } = node;
  const [expanded, setExpanded] = useState(false);
  const active = children.some(
    ({ session: child, waits: asks }) => asks || child.status === 'running' || child.id === open,
  );
  const showChildren = expanded || active;
  return (
    <li>
      <div class={`session-row ${open === session.id ? 'current' : ''}`}>
        <a href={links.session(session.id)} aria-current={open === session.id ? 'page' : undefined} onClick={onOpen}>
          <StatusDot session={session} waits={waits} />
          <span class="session-title">{session.role ? `${session.role}: ${session.title}` : session.title}</span>
          <RowState session={session} waits={waits} />
        </a>
        {children.length > 0 && !active && (
          <Button
            icon={showChildren ? 'down' : 'right'}
            label={plural(children.length, 'sub-agent')}
            tone="quiet"
            expanded={showChildren}
            onClick={() => setExpanded(!expanded)}
          />
        )}
      </div>
      {showChildren && children.length > 0 && (
        <ul class="children">
          {children.map((child) => (
            <SessionRow key={child.session.id} node={child} open={open} onOpen={onOpen} />
          ))}
        </ul>
      )}
    </li>
  );
}

function StatusDot({ session, waits }: { session: SessionSummary; waits: boolean }) {
  const { store } = useConsole();
  const unread = store.directory.value.unread.has(session.id);
  const state = waits ? 'waits' : session.status === 'idle' && unread ? 'unread' : session.status;
  return (
    <span class={`dot ${state}`}>
      {state === 'waits' && <Icon name="bell" />}
      {(state === 'error' || state === 'interrupted') && <Icon name="warn" />}
    </span>
  );
}

/** The state in a word; the colour of the dot says it again. */
function RowState({ session, waits }: { session: SessionSummary; waits: boolean }) {
  const { store } = useConsole();
  const unread = session.status === 'idle' && store.directory.value.unread.has(session.id);
  const word = waits ? 'waits' : unread ? 'new' : session.status === 'idle' ? '' : statusWords[session.status];
  return <span class="row-state">{word || ago(session.updatedAt, Date.now())}</span>;
}
