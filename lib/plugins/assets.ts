import { open, realpath } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';
import { isInside } from './manifest.ts';
import type { PluginAsset } from './plugin-host.ts';

const largestAsset = 32 * 1024 * 1024;

/**
 * Reads a file below a plugin's `web/` directory; undefined when it is not there, no file, over 32 MB, or leaves the
 * directory, also through a symbolic link.
 */
export async function readAsset(pluginDirectory: string, file: string): Promise<PluginAsset | undefined> {
  if (!isInside(file) || file.split('/').some((step) => step.startsWith('.'))) return undefined;
  try {
    const root = await realpath(join(pluginDirectory, 'web'));
    const path = await realpath(join(root, file));
    if (!path.startsWith(root + sep)) return undefined;
    const handle = await open(path, 'r');
    try {
      const stat = await handle.stat();
      if (!stat.isFile() || stat.size > largestAsset) return undefined;
      const bytes = new Uint8Array(stat.size);
      const { bytesRead } = await handle.read(bytes, 0, stat.size, 0);
      return { bytes: bytes.subarray(0, bytesRead), fileName: basename(path), modifiedAt: stat.mtimeMs };
    } finally {
      await handle.close();
    }
  } catch {
    return undefined;
  }
}
