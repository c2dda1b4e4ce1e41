import { links } from '../../state/route.ts';
import { useConsole } from '../context.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { ApprovalCard } from './approval-card.tsx';

/** Everything that waits, in all sessions. */
export function Inbox({ onClose }: { onClose: () => void }) {
  const { store } = useConsole();
  const { approvals, sessions } = store.directory.value;
  return (
    <Dialog title="Waiting for you" onClose={onClose} class="wide">
      {approvals.length === 0 && <p class="empty">Nothing waits for a decision.</p>}
      {approvals.map((approval) => (
        <section key={approval.id} class="inbox-entry">
          <a href={links.session(approval.rootSessionId)} onClick={onClose}>
            {sessions.get(approval.rootSessionId)?.title ?? 'Open the session'}
          </a>
          <ApprovalCard approval={approval} />
        </section>
      ))}
    </Dialog>
  );
}
