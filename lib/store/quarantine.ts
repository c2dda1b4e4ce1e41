import { join } from 'node:path';
import { type FilePort, isAbsent } from './file-port.ts';
import type { LoggedCommit } from './log-record.ts';
import { ensureDirectory, replaceFile } from './replace-file.ts';
import type { Suspect } from './replay.ts';
import { blobDirectory, layout, snapshotPath } from './store-paths.ts';

/**
 * Sets a damaged session aside: `quarantine/<id>/` gets a `reason.txt`, its good log records, its snapshot, its images.
 * May be repeated: what was moved already stays. Of a session that was brought back and is damaged again the later state is
 * kept, with the images of both.
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
  await quarantineImages(files, root, session);
  await files.syncDirectory(directory);
}

/**
 * Sets the images of a session aside: `quarantine/<id>/blobs`. One by one, since some of an earlier time may be there. None
 * replaces another: they are named by what they hold.
 */
export async function quarantineImages(files: FilePort, root: string, session: string): Promise<void> {
  const [from, to] = [blobDirectory(root, session), join(root, layout.quarantine, session, 'blobs')];
  const names = await files.list(from);
  if (names.length > 0) await ensureDirectory(files, root, to);
  for (const name of names) await move(files, join(from, name), join(to, name));
  if (names.length > 0) await files.syncDirectory(to);
  await files.remove(from);
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
