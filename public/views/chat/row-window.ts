import { useRef, useState } from 'preact/hooks';
import { startOf } from '../../state/row-start.ts';

const step = 300;

/** Which rows of a long transcript are in the page: those from `start` on. */
export interface RowWindow {
  start: number;
  /** Puts older rows into the page; false when all of them are. */
  grow(): boolean;
  /** Makes sure that a row is in the page. */
  reveal(index: number): void;
}

/**
 * Above 2,000 rows only the newest 600 stay, and 300 come back with each `grow`. Rows are let go only while the reader is
 * at the end, never under their eyes. What is put in front of the first row stays out of the page until it is asked for.
 */
export function useRowWindow(items: readonly { key: string }[], pinned: boolean): RowWindow {
  const first = useRef<string | undefined>(undefined);
  const [, setRound] = useState(0);
  const start = startOf(items, first.current, pinned);
  first.current = items[start]?.key;
  const show = (from: number): void => {
    first.current = items[from]?.key;
    setRound((round) => round + 1);
  };
  return {
    start,
    grow() {
      if (start === 0) return false;
      show(Math.max(0, start - step));
      return true;
    },
    reveal(index) {
      if (index >= 0 && index < start) show(Math.max(0, index - 20));
    },
  };
}
