import { links } from '../state/route.ts';
import type { ViewTools } from './context.tsx';

/** The keyboard map, as `?` shows it. */
export const keyMap: readonly (readonly [keys: string, what: string])[] = [
  ['Ctrl K', 'Command palette'],
  ['Alt N', 'New session'],
  ['Alt ↑ / ↓', 'Session above or below'],
  ['[ / ]', 'Message of yours before or after'],
  ['Ctrl .', 'Stop the run'],
  ['Esc Esc', 'Stop the run'],
  ['Ctrl Shift A', 'Go to what waits for approval'],
  ['Enter / Esc / N', 'Approve, decline, add a note (on an approval)'],
  ['Alt Z', 'Undo, or whatever else the last notice offers'],
  ['Ctrl B', 'Show or hide the session list'],
  ['Ctrl Shift F', 'Files of this session'],
  ['/', 'Write a message'],
  ['?', 'This list'],
];

const doubleMs = 600;

/** Listens to the keys that work everywhere. Single letters act only outside of text. Returns how to stop. */
export function bindKeys(tools: ViewTools): () => void {
  const { store, workbench } = tools;
  let lastEscape = Number.NEGATIVE_INFINITY;
  const here = (): string | undefined => (store.route.value.name === 'session' ? store.route.value.id : undefined);
  const stop = (): void => {
    const id = here();
    if (id && store.directory.value.sessions.get(id)?.status === 'running') void workbench.stop(id);
  };

  const onKey = (event: KeyboardEvent): void => {
    // Browsers that fill in a form send keys without a name.
    if (store.access.value.state !== 'in' || event.isComposing || !event.key) return;
    const command = event.ctrlKey || event.metaKey;
    // With Alt a Mac types other characters: there the key counts, not what is on it.
    const key = (event.altKey && !/^[a-z]$/i.test(event.key) ? event.code.replace('Key', '') : event.key).toLowerCase();
    const act = (run: () => void): void => {
      event.preventDefault();
      run();
    };
    if (command && key === 'k') act(() => toggle(tools, 'palette'));
    else if (command && key === '.') act(stop);
    else if (command && event.shiftKey && key === 'a') act(() => nextApproval(tools));
    else if (command && event.shiftKey && key === 'f') act(() => openFiles(here()));
    else if (command && key === 'b') act(() => document.documentElement.classList.toggle('list-hidden'));
    else if (event.altKey && key === 'n') act(() => goTo(links.home));
    else if (event.altKey && key === 'z') act(() => takeOffer(tools));
    else if (event.altKey && (key === 'arrowup' || key === 'arrowdown'))
      act(() => neighbour(key === 'arrowup' ? -1 : 1));
    else if (key === 'escape' && store.layer.value) act(() => closeLayer(tools));
    else if (key === 'escape' && !event.repeat) {
      if (performance.now() - lastEscape < doubleMs) stop();
      lastEscape = performance.now();
    } else if (!command && !event.altKey && !inText(event.target) && !store.layer.value) {
      if (key === '?') act(() => toggle(tools, 'shortcuts'));
      else if (key === '/') act(() => document.querySelector<HTMLElement>('.composer textarea')?.focus());
      else if (key === '[' || key === ']') act(() => stepMessage(key === '[' ? -1 : 1));
    }
  };
  addEventListener('keydown', onKey);
  return () => removeEventListener('keydown', onKey);
}

function toggle({ store }: ViewTools, name: 'palette' | 'shortcuts'): void {
  store.layer.value = store.layer.value?.name === name ? undefined : { name };
}

function closeLayer({ store }: ViewTools): void {
  store.layer.value = undefined;
}

/** Focuses what waits in the session that is open; otherwise opens the inbox. */
export function nextApproval({ store }: ViewTools): void {
  const card = document.querySelector<HTMLElement>('.dock .approval');
  if (card) card.focus();
  else store.layer.value = { name: 'inbox' };
}

/** Runs the action of the newest notice that has one. */
function takeOffer({ store }: ViewTools): void {
  const offer = store.toasts.value.findLast(({ action }) => action !== undefined);
  if (!offer) return;
  store.toasts.value = store.toasts.value.filter(({ key }) => key !== offer.key);
  offer.action?.run();
}

function goTo(hash: string): void {
  location.hash = hash;
}

function openFiles(id: string | undefined): void {
  if (id) location.hash = links.files(id);
}

function neighbour(step: -1 | 1): void {
  const rows = [...document.querySelectorAll<HTMLAnchorElement>('.session-row a')];
  const at = rows.findIndex((row) => row.getAttribute('aria-current') === 'page');
  rows[at < 0 ? 0 : at + step]?.click();
}

function stepMessage(step: -1 | 1): void {
  const scroller = document.querySelector('.transcript');
  const messages = [...document.querySelectorAll<HTMLElement>('.message.user')];
  const top = (scroller?.getBoundingClientRect().top ?? 0) + 8;
  const tops = messages.map((message) => message.getBoundingClientRect().top);
  const at = step < 0 ? tops.findLastIndex((value) => value < top - 4) : tops.findIndex((value) => value > top + 4);
  messages[at]?.scrollIntoView({ block: 'start' });
}

function inText(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null;
}
