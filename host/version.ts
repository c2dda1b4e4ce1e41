import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../lib/base/package-root.ts';

/** The product version, from package.json. Read once per start. */
export function productVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : '0.0.0';
}
