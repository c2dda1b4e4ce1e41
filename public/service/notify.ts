import { effect } from '@preact/signals';
import type { SessionEvent } from '../../lib/wire/event.ts';
import { links } from '../state/route.ts';
import type { Store } from '../state/store.ts';

/** Keeps the title and the icon up to date: how many sessions want attention. */
export function badgeTitle(store: Store): void {
  effect(() => {
    const { approvals, unread, sessions } = store.directory.value;
    const route = store.route.value;
    const roots = new Set([...approvals.map(({ rootSessionId }) => rootSessionId), ...unread]);
    const name = store.boot.value?.name ?? 'Agent Session Service';
    const title = route.name === 'session' ? sessions.get(route.id)?.title : undefined;
    document.title = `${roots.size > 0 ? `(${roots.size}) ` : ''}${title ? `${title} - ${name}` : name}`;
    const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]');
    if (icon) icon.href = iconFor(approvals.length > 0 ? '#b3261e' : roots.size > 0 ? '#0b6e5f' : '#8c867c');
  });
}

/** True where the browser can notify at all: secure contexts only. */
export function canNotify(): boolean {
  return 'Notification' in globalThis && isSecureContext;
}

/** One notification for what happens in a session that nobody is looking at. */
export function notifyAbout(store: Store, event: SessionEvent): void {
  if (!store.notify.value || !canNotify() || Notification.permission !== 'granted') return;
  if (event.type !== 'approval.requested' && event.type !== 'run.finished' && event.type !== 'run.failed') return;
  const session = store.directory.value.sessions.get(event.sessionId);
  const route = store.route.value;
  const visible = document.visibilityState === 'visible' && route.name === 'session' && route.id === event.sessionId;
  if (!session || visible || (session.parentId !== undefined && event.type !== 'approval.requested')) return;
  const body =
    event.type === 'approval.requested'
      ? `Approval needed: ${event.approval.call.name}`
      : event.type === 'run.failed'
        ? 'The run failed.'
        : 'The run is over.';
  try {
    const notification = new Notification(session.title, { body, tag: event.sessionId });
    notification.onclick = () => {
      focus();
      location.hash = links.session(event.sessionId);
      notification.close();
    };
  } catch {
    // Some browsers, those of phones for instance, let service workers notify only.
  }
}

function iconFor(colour: string): string {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><circle cx="8" cy="8" r="6" fill="${colour}"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
