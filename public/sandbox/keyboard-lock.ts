import { getterOf, methodOf } from './untampered.ts';

export interface KeyboardLock {
  /** The console's word that a person came in without a pointer; `turn` is the one of the focus that it answers. */
  open(turn: number): void;
}

/** What tells a bundle what is typed. */
const telling = [
  ...['keydown', 'keypress', 'keyup', 'beforeinput', 'textInput', 'paste'],
  ...['compositionstart', 'compositionupdate', 'compositionend'],
];

/**
 * Keeps the keyboard from the bundle until a person has come in: with a pointer that is pressed inside, or, in the console's word,
 * with the Tab key. No browser lets a page keep a frame from taking the keyboard, and whatever is typed until it is taken back
 * goes to the frame; here it ends, unread. These listeners are the first of the window, and nothing takes them away. An input
 * method writes without events that can be stopped, so nothing in the frame has the focus meanwhile.
 *
 * `onFocus` hears when the frame has the keyboard and nobody has come in by pointer. Must run before the bundle does.
 */
export function lockKeyboard(onFocus: (turn: number) => void): KeyboardLock {
  const targetOf = getterOf(Event.prototype, 'target');
  const prevent = methodOf(Event.prototype.preventDefault);
  const stop = methodOf(Event.prototype.stopImmediatePropagation);
  const hasFocus = methodOf(Document.prototype.hasFocus);
  const focus = methodOf(HTMLElement.prototype.focus);
  const blur = methodOf(HTMLElement.prototype.blur);
  let isOpen = false;
  /** Counts how often the frame got or lost the keyboard: an answer that comes late opens nothing. */
  let turn = 0;
  let wanted: EventTarget | null = null;

  const listen = (kind: string, hear: (event: Event) => void): void =>
    addEventListener(kind, (event) => event.isTrusted && hear(event), true);
  for (const kind of telling)
    listen(kind, (event) => {
      if (isOpen) return;
      prevent(event);
      stop(event);
    });
  listen('pointerdown', () => {
    isOpen = true;
  });
  listen('blur', (event) => {
    if (targetOf(event) !== window) return;
    isOpen = false;
    turn++;
  });
  listen('focus', (event) => {
    const target = targetOf(event);
    if (target === window) onFocus(++turn);
    else if (!isOpen) {
      wanted = target;
      attempt(blur, target);
    }
  });
  // The document as a whole could be written into without anything that has the focus.
  Object.defineProperty(Document.prototype, 'designMode', { value: 'off' });
  return {
    open(answered) {
      if (answered !== turn || !hasFocus(document)) return;
      isOpen = true;
      attempt(focus, wanted);
      wanted = null;
    },
  };
}

/** Only elements of HTML can be written into; the others, and none at all, are not of this kind. */
function attempt(act: (element: HTMLElement) => void, target: EventTarget | null): void {
  try {
    act(target as HTMLElement);
  } catch {}
}
