import { createReadStream } from 'node:fs';

/** The lines of a file without their ends, numbered from 1; empty ones are left out. Only a newline ends a line. */
export async function* readLines(path: string): AsyncGenerator<{ number: number; bytes: Buffer }> {
  let number = 0;
  let parts: Buffer[] = [];
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    const bytes: Buffer = chunk;
    let start = 0;
    for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, start)) {
      number += 1;
      const line = trimmed(Buffer.concat([...parts, bytes.subarray(start, end)]));
      parts = [];
      start = end + 1;
      if (line.length > 0) yield { number, bytes: line };
    }
    if (start < bytes.length) parts.push(bytes.subarray(start));
  }
  const rest = trimmed(Buffer.concat(parts));
  if (rest.length > 0) yield { number: number + 1, bytes: rest };
}

function trimmed(line: Buffer): Buffer {
  return line.at(-1) === 0x0d ? line.subarray(0, -1) : line;
}
