/**
 * Cuts a stream of bytes into lines without copying what has arrived over and over.
 * A line that grows over `most` bytes goes to `tooLong` once and is dropped up to its end.
 */
export function createLineReader(
  most: number,
  { line, tooLong }: { line: (text: string) => void; tooLong: () => void },
): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let size = 0;
  let dropping = false;
  const add = (part: Buffer): void => {
    if (dropping) return;
    size += part.length;
    parts.push(part);
    if (size <= most) return;
    dropping = true;
    parts = [];
    tooLong();
  };
  const end = (): void => {
    const text = dropping ? undefined : Buffer.concat(parts).toString('utf8').replace(/\r$/, '');
    parts = [];
    size = 0;
    dropping = false;
    if (text !== undefined && text !== '') line(text);
  };
  return (chunk) => {
    let start = 0;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, start)) {
      add(chunk.subarray(start, at));
      end();
      start = at + 1;
    }
    if (start < chunk.length) add(chunk.subarray(start));
  };
}
