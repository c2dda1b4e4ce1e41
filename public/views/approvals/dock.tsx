import { approvalsBelow } from '../../state/directory.ts';
import { useConsole } from '../context.tsx';
import { ApprovalCard } from './approval-card.tsx';

/** What waits in this session or below it, right above the composer. It never takes the focus. */
export function ApprovalDock({ sessionId }: { sessionId: string }) {
  const { store } = useConsole();
  const waiting = approvalsBelow(store.directory.value, sessionId);
  const first = waiting[0];
  if (!first) return null;
  return (
    <div class="dock">
      <ApprovalCard approval={first} position={waiting.length > 1 ? `1 of ${waiting.length}` : undefined} />
    </div>
  );
}
