import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The folder of this package, wherever its code was bundled to: the nearest one upwards whose package.json says so.
 * Throws when there is none, which means that files were moved out of the package.
 */
export function packageRoot(from: string = import.meta.url): string {
  for (let folder = dirname(fileURLToPath(from)); ; folder = dirname(folder)) {
    const manifest = join(folder, 'package.json');
    if (existsSync(manifest) && /"name":\s*"agent-session-service"/.test(readFileSync(manifest, 'utf8'))) return folder;
    if (folder === dirname(folder))
      throw new Error('The folder of agent-session-service was not found above its own code.');
  }
}
