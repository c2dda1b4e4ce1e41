/** False in Safari: there nothing keeps its place by itself when something above it changes its height. */
export function keepsPlace(): boolean {
  return CSS.supports('overflow-anchor', 'auto');
}

/**
 * Does by hand what other browsers do: a row in the middle of the view is the mark, and stays where it is. One at the top would not
 * do, because Safari lays rows out only when they come into view.
 */
export interface Place {
  /** Undoes what moved the mark inside of the content since the last call, and chooses the mark anew. */
  hold(): void;
  /** Something else is going to be looked at. */
  forget(): void;
}

export function createPlace(scroller: Element, content: Element): Place {
  let mark: Element | undefined;
  let offset = 0;
  const offsetOf = (row: Element): number => topOf(row) - topOf(content);
  return {
    hold() {
      if (mark?.isConnected) scroller.scrollTop += offsetOf(mark) - offset;
      mark = firstFrom(content.children, topOf(scroller) + scroller.clientHeight / 2);
      if (mark) offset = offsetOf(mark);
    },
    forget() {
      mark = undefined;
    },
  };
}

function topOf(element: Element | undefined): number {
  return element?.getBoundingClientRect().top ?? 0;
}

/** The first row that begins below `top`, or the last one. Rows are in order. */
function firstFrom(rows: HTMLCollection, top: number): Element | undefined {
  let from = 0;
  for (let to = rows.length - 1; from < to; ) {
    const middle = (from + to) >> 1;
    if (topOf(rows[middle]) < top) from = middle + 1;
    else to = middle;
  }
  return rows[from];
}
