interface EnterKey {
  key: string;
  shiftKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  isComposing: boolean;
  keyCode: number;
}

/** Some browsers report the Enter that ends a composition only after it ended. */
const justComposedMs = 40;

/** Whether this key sends the message: Enter without Shift, never while an input method is composing. */
export function enterSends(event: EnterKey, sinceCompositionMs: number): boolean {
  if (event.key !== 'Enter' || event.isComposing || event.keyCode === 229) return false;
  if (event.ctrlKey || event.metaKey) return true;
  return !event.shiftKey && sinceCompositionMs > justComposedMs;
}
