/** One dispatched frame of an event stream. */
export interface Frame {
  id: string | undefined;
  data: string;
}

export interface FrameListener {
  onFrame(frame: Frame): void;
  /** The server's `retry:` in milliseconds; never longer than a timer can be. */
  onRetry(ms: number): void;
}

/**
 * Reads event-stream text as it comes; chunks may end anywhere, also between CR and LF. Linear, also for a line of many
 * megabytes.
 */
export function createFrameParser(listener: FrameListener): (text: string) => void {
  let rest = '';
  let endsWithCr = false;
  let data: string[] = [];
  let id: string | undefined;

  const readLine = (line: string): void => {
    if (line === '') {
      if (data.length > 0) listener.onFrame({ id, data: data.join('\n') });
      data = [];
      return;
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') data.push(value);
    else if (field === 'id' && !value.includes('\0')) id = value;
    else if (field === 'retry' && /^\d{1,9}$/.test(value)) listener.onRetry(Number(value));
  };

  return (text) => {
    // What was looked through before holds no end of a line, except for a CR that waits for what follows it.
    let at = endsWithCr ? rest.length - 1 : rest.length;
    const mayEnd = endsWithCr || /[\r\n]/.test(text);
    rest += text;
    if (text !== '') endsWithCr = text.endsWith('\r');
    if (!mayEnd) return;
    let start = 0;
    for (let end = endOfLine(rest, at); end; end = endOfLine(rest, at)) {
      readLine(rest.slice(start, end.from));
      start = end.to;
      at = end.to;
    }
    rest = rest.slice(start);
  };
}

/** Where the next line ends; undefined while that can't be known, as after a CR that may be half of a CRLF. */
function endOfLine(text: string, start: number): { from: number; to: number } | undefined {
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 10) return { from: at, to: at + 1 };
    if (code !== 13) continue;
    if (at + 1 === text.length) return undefined;
    return { from: at, to: text.charCodeAt(at + 1) === 10 ? at + 2 : at + 1 };
  }
  return undefined;
}
