/** Up to here every row is in the page, which keeps find-in-page and selection whole. */
const mostRows = 2_000;
const newestRows = 600;

/** Where the window begins. `first` is the key of the row that began it so far; it may be gone after a rewind. */
export function startOf(items: readonly { key: string }[], first: string | undefined, pinned: boolean): number {
  const known = first === undefined ? 0 : items.findIndex(({ key }) => key === first);
  const start = Math.max(0, known);
  if (items.length - start <= mostRows) return start;
  return pinned || known < 0 ? items.length - newestRows : start;
}
