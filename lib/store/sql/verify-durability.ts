import type { PGliteInterface } from '@electric-sql/pglite';

/**
 * Commits a probe and looks whether it was synced: an update of the library could undo what makes commits durable.
 * Throws an Error with `exitCode` 78 when nothing reached the disk.
 */
export async function verifyDurability(
  database: Pick<PGliteInterface, 'query'>,
  files: { readonly syncs: number },
): Promise<void> {
  const { rows } = await database.query<{ fsync: string }>('SHOW fsync');
  const before = files.syncs;
  await database.query("SELECT pg_logical_emit_message(true, 'probe', 'durable')");
  if (rows[0]?.fsync === 'on' && files.syncs > before) return;
  throw Object.assign(
    new Error(
      'The embedded database does not sync its commits to disk, so a power cut would lose them. Reinstall the service, ' +
        'or accept the risk with "storage": {"durability": "process"}.',
    ),
    { exitCode: 78 },
  );
}
