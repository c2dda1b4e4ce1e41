import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../base/caught.ts';
import { ConfigError } from '../base/config-error.ts';
import { writeFileAtomic } from '../base/write-file-atomic.ts';
import { createToken } from './tokens.ts';

/**
 * The token for `server.token: "auto"`: made at the first start, kept in `<data>/token` for this user only, and
 * found there by every later start. `issued` is true when it is new and should be shown once.
 */
export async function keptOperatorToken(directory: string): Promise<{ token: string; issued: boolean }> {
  const path = operatorTokenPath(directory);
  const kept = (await readIfThere(path))?.trim();
  if (kept) {
    await chmod(path, 0o600);
    return { token: kept, issued: false };
  }
  const token = createToken();
  await writeFileAtomic(path, `${token}\n`, { mode: 0o600 });
  return { token, issued: true };
}

/** Where a token that this service made is kept: one of the store's own paths, invisible in workspaces. */
export function operatorTokenPath(directory: string): string {
  return join(directory, 'token');
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw new ConfigError(`The token file ${path} cannot be read. Check its owner and permissions.`);
  }
}
