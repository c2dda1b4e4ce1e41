import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Every entry below a directory in one line each: type, permission bits, path, content. Equal lists are equal trees. */
export function describeTree(root: string): string[] {
  const lines: string[] = [];
  const visit = (directory: Buffer, shown: string): void => {
    for (const name of readdirSync(directory, { encoding: 'buffer' })) {
      const path = Buffer.concat([directory, Buffer.from('/'), name]);
      const stats = lstatSync(path);
      const mode = (stats.mode & 0o777).toString(8);
      const at = `${shown}${JSON.stringify(name.toString('latin1'))}`;
      if (stats.isDirectory()) {
        lines.push(`directory ${mode} ${at}`);
        visit(path, `${at}/`);
      } else if (stats.isSymbolicLink()) lines.push(`link ${at} -> ${readlinkSync(path, { encoding: 'latin1' })}`);
      else if (stats.isFile()) lines.push(`file ${mode} ${at} ${digestOf(path)}`);
      else lines.push(`other ${at}`);
    }
  };
  visit(Buffer.from(root), '');
  return lines.sort();
}

function digestOf(path: Buffer): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 16);
}
