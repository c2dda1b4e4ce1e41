type Place = 'localStorage' | 'sessionStorage';

/** What the browser keeps under a name; null where it keeps nothing. Where storage is off, even to name it throws. */
export function readKept(name: string, place: Place = 'localStorage'): string | null {
  try {
    return globalThis[place].getItem(name);
  } catch {
    return null;
  }
}

/** Keeps a text, or without one nothing any more. Where storage is off or full, what it says lasts as long as the page. */
export function keep(name: string, text: string | undefined, place: Place = 'localStorage'): void {
  try {
    if (text === undefined) globalThis[place].removeItem(name);
    else globalThis[place].setItem(name, text);
  } catch {}
}
