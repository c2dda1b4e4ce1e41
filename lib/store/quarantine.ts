import { join } from 'node:path';
import { type FilePort, isAbsent } from './file-port.ts';
import type { LoggedCommit } from './log-record.ts';
import { ensureDirectory, replaceFile } from './replace-file.ts';
import type { Suspect } from './replay.ts';
import { blobDirectory, layout, snapshotPath } from './store-paths.ts';

/**
 * Sets a damaged session aside: `quarantine/<id>/` gets a `reason.txt`, its good log records, its snapshot, its images.
 * May be repeated: what was moved already stays.
 */
export async function quarantine(
  files: FilePort,
  root: string,
  damaged: Suspect & { records: LoggedCommit[] },
): Promise<void> {
  const { session, tenant, reason, records } = damaged;
  const directory = join(root, layout.quarantine, session);
  await ensureDirectory(files, root, directory);
  await replaceFile(files, join(directory, 'reason.txt'), [
    Buffer.from(`Session ${session} of tenant ${tenant}: ${reason}.\n`),
  ]);
  await replaceFile(files, join(directory, 'records.jsonl'), recordLines(records));
  await move(files, snapshotPath(root, tenant, session), join(directory, 'session.json'));
  await move(files, blobDirectory(root, session), join(directory, 'blobs'));
  await files.syncDirectory(directory);
}

function* recordLines(records: LoggedCommit[]): Generator<Buffer> {
  for (const record of records) yield Buffer.from(`${JSON.stringify(record)}\n`);
}

async function move(files: FilePort, from: string, to: string): Promise<void> {
  try {
    await files.rename(from, to);
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
}
