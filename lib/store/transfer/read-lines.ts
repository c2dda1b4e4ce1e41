import { createReadStream } from 'node:fs';

export interface NumberedLine {
  /** From 1. */
  number: number;
  /** Without its end; undefined for a line that is too long to be one of ours. */
  bytes: Buffer | undefined;
}

/** Several times what the largest message or image takes. */
const longestLine = 128 * 1024 * 1024;

/** The lines of a file, one in memory at a time; empty ones are left out. Only a newline ends a line. */
export async function* readLines(path: string): AsyncGenerator<NumberedLine> {
  let number = 1;
  let parts: Buffer[] = [];
  let length = 0;
  const take = (bytes: Buffer): void => {
    length += bytes.length;
    if (length > longestLine) parts = [];
    else if (bytes.length > 0) parts.push(bytes);
  };
  const finish = (): Buffer | undefined => {
    const line = length > longestLine ? undefined : trimmed(Buffer.concat(parts));
    parts = [];
    length = 0;
    return line;
  };
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    const bytes: Buffer = chunk;
    let start = 0;
    for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, start)) {
      take(bytes.subarray(start, end));
      const line = finish();
      if (line?.length !== 0) yield { number, bytes: line };
      number += 1;
      start = end + 1;
    }
    take(bytes.subarray(start));
  }
  const rest = finish();
  if (rest?.length !== 0) yield { number, bytes: rest };
}

function trimmed(line: Buffer): Buffer {
  return line.at(-1) === 0x0d ? line.subarray(0, -1) : line;
}
