/** Resolves behind what waits for the event loop: between two slices of long work. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
