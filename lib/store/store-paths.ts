import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { defaultTenantId } from '../wire/identity.ts';

/** Where the file driver keeps what, below the data root (contract: storage layout). */
export const layout = {
  log: 'log',
  sessions: 'sessions',
  tenants: 'tenants',
  blobs: 'blobs',
  meta: 'meta',
  quarantine: 'quarantine',
  index: 'index.json',
  lock: 'lock',
  lockFile: 'lock.json',
  /** Bytes to give back when the disk is full. */
  reserve: 'reserve.bin',
  /** There for a moment, to see whether the directory can be written. */
  probe: 'probe.tmp',
  /** All of the SQL driver. */
  sql: 'service.db',
} as const;

/**
 * Every path below the data root that belongs to the service itself: to be hidden from file routes, tools and
 * checkpoints. `tenants/<id>/sessions` is listed for the tenants that exist now, because theirs may be links.
 */
export function storePaths(directory: string): string[] {
  return [
    ...ownNames.map((name) => join(directory, name)),
    ...tenantsIn(directory).map((tenant) => join(directory, layout.tenants, tenant, layout.sessions)),
  ];
}

/** The directory of a tenant's snapshots; those of the default tenant lie directly below the data root. */
export function sessionDirectory(root: string, tenantId: string): string {
  if (tenantId === defaultTenantId) return join(root, layout.sessions);
  return join(root, layout.tenants, checkedName(tenantId), layout.sessions);
}

/** The snapshot of a session. Throws for an id that cannot be a file name. */
export function snapshotPath(root: string, tenantId: string, sessionId: string): string {
  return join(sessionDirectory(root, tenantId), `${checkedName(sessionId)}.json`);
}

/** The images of a session. Throws for an id that cannot be a file name. */
export function blobDirectory(root: string, sessionId: string): string {
  return join(root, layout.blobs, checkedName(sessionId));
}

/** Ids become names of files: whatever could leave the directory is refused, whoever let it come this far. */
export function checkedName(name: string): string {
  if (!isFileName(name)) throw new Error('An id that cannot be a file name was refused.');
  return name;
}

/** True for 1 to 128 letters, digits and `._@-`, the first of them no dot and no `@`. */
export function isFileName(name: string): boolean {
  return /^[A-Za-z0-9_-][A-Za-z0-9._@-]{0,127}$/.test(name);
}

const ownNames: string[] = [
  layout.log,
  layout.sessions,
  layout.blobs,
  layout.meta,
  layout.quarantine,
  layout.index,
  `${layout.index}.tmp`,
  layout.lock,
  layout.lockFile,
  layout.reserve,
  layout.probe,
  layout.sql,
  'auth',
  'checkpoints',
  'token',
];

function tenantsIn(directory: string): string[] {
  try {
    return readdirSync(join(directory, layout.tenants));
  } catch {
    return [];
  }
}
