import { PGlite } from '@electric-sql/pglite';

/**
 * How the embedded server is started. Small: it serves one connection. `wal_recycle=off` lets old log files vanish
 * instead of keeping what they hold; checkpoints and vacuums come from the store, since nothing runs in the background.
 */
export function startParameters(durable: boolean): string[] {
  const settings: Record<string, string> = {
    fsync: durable ? 'on' : 'off',
    wal_sync_method: 'fsync',
    wal_level: 'minimal',
    max_wal_senders: '0',
    wal_recycle: 'off',
    wal_buffers: '1MB',
    max_wal_size: '64MB',
    min_wal_size: '2MB',
    shared_buffers: '16MB',
    work_mem: '8MB',
    maintenance_work_mem: '16MB',
    max_connections: '5',
    jit: 'off',
  };
  const own = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return [...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'), ...own];
}
