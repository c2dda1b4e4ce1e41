import { useConsole } from '../context.tsx';
import { useNow } from './hooks.ts';

/** Whether what is shown is what is. Trouble shows only when it lasts: most breaks heal within a second or two. */
export function ConnectionPill() {
  const { store } = useConsole();
  const link = store.link.value;
  const now = useNow(link.state === 'waiting');
  if (link.state === 'live') return <span class="pill ok">Live</span>;
  if (link.state === 'signed-out') return <span class="pill danger">Signed out</span>;
  if (link.state === 'connecting') return <span class="pill">Connecting</span>;
  if (now - link.failedSince < 3_000) return <span class="pill">Reconnecting</span>;
  const seconds = Math.max(1, Math.ceil((link.retryAt - now) / 1000));
  return (
    <span class="pill danger" role="status">
      {navigator.onLine ? `Reconnecting in ${seconds} s` : 'Offline'}
    </span>
  );
}
