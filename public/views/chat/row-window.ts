import { useEffect, useRef, useState } from 'preact/hooks';
import { startOf } from '../../state/row-start.ts';

const step = 300;
/** What is drawn in the first frame, and then at a time, so that no frame waits for a whole transcript. */
const firstRows = 100;
const restRows = 150;

/** Which rows of a long transcript are in the page: those from `start` on. */
export interface RowWindow {
  start: number;
  /** In the first moments after opening: the rest of the window follows by itself. */
  isFilling: boolean;
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
  const [drawn, setDrawn] = useState(firstRows);
  const whole = startOf(items, first.current, pinned);
  first.current = items[whole]?.key;
  const start = Math.max(whole, items.length - drawn);
  useEffect(() => {
    if (start === whole) return setDrawn(Number.POSITIVE_INFINITY);
    const timer = setTimeout(() => setDrawn((rows) => rows + restRows));
    return () => clearTimeout(timer);
  }, [start, whole]);
  const show = (from: number): void => {
    first.current = items[from]?.key;
    setRound((round) => round + 1);
  };
  return {
    start,
    isFilling: start > whole,
    grow() {
      if (start === 0) return false;
      show(Math.max(0, start - step));
      return true;
    },
    reveal(index) {
      setDrawn(Number.POSITIVE_INFINITY);
      if (index >= 0 && index < whole) show(Math.max(0, index - 20));
    },
  };
}
