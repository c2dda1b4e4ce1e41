import type { Place } from './place.ts';

/** Files over this are neither edited nor compared. */
export const editableBytes = 10 * 1024 * 1024;

/** The whole text of a file with its byte order mark; undefined when it is not UTF-8 text. Throws what the workspace throws. */
export async function textOf(place: Place): Promise<string | undefined> {
  const bytes = await place.workspace.readBytes(place.path, { limit: editableBytes });
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
