/** Builds text from pieces of a page: blanks collapse, line breaks are asked for and never pile up. */
export interface TextWriter {
  /** Running text. */
  text(piece: string): void;
  /** A piece as it is. */
  put(piece: string): void;
  /** At least this many line breaks before whatever comes next. */
  breakLine(count: 1 | 2): void;
  /** What was written from one position to another. */
  since(from: number, to?: number): string;
  /** The current position. */
  readonly length: number;
  /** Whatever comes next begins a line. */
  readonly startsLine: boolean;
}

export function createTextWriter(): TextWriter {
  const pieces: string[] = [];
  let breaks = 0;
  let endsBlank = true;
  const push = (piece: string): void => {
    if (breaks > 0 && pieces.length > 0) pieces.push('\n'.repeat(breaks));
    breaks = 0;
    pieces.push(piece);
    endsBlank = /\s$/.test(piece);
  };
  return {
    text(piece) {
      const collapsed = piece.replace(/[\s\u00a0]+/g, ' ');
      const piecesStartBlank = endsBlank || breaks > 0;
      const trimmed = piecesStartBlank ? collapsed.trimStart() : collapsed;
      if (trimmed !== '') push(trimmed);
    },
    put(piece) {
      if (piece !== '') push(piece);
    },
    breakLine(count) {
      breaks = Math.max(breaks, count);
    },
    since: (from, to = pieces.length) => pieces.slice(from, Math.min(to, pieces.length)).join(''),
    get length() {
      return pieces.length;
    },
    get startsLine() {
      return breaks > 0 || pieces.length === 0;
    },
  };
}
