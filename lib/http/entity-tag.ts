/** The weak tag of a file. `modifiedAt` in milliseconds; `mark` tells what is made of the file from the file itself. */
export function tagOf(file: { size: number; modifiedAt: number }, mark = ''): string {
  return `W/"${mark}${file.size.toString(36)}-${Math.floor(file.modifiedAt).toString(36)}"`;
}

/** A file under its tag: 304 when the client has it, otherwise its bytes, which are read only then. */
export async function answerTagged(
  request: Pick<Request, 'headers'>,
  etag: string,
  file: { headers: Record<string, string>; read: () => Promise<Uint8Array<ArrayBuffer> | Blob> },
): Promise<Response> {
  const headers = { ...file.headers, etag };
  if (isUnchanged(request, etag)) return new Response(null, { status: 304, headers });
  const bytes = await file.read();
  const length = bytes instanceof Blob ? bytes.size : bytes.byteLength;
  return new Response(bytes, { headers: { ...headers, 'content-length': String(length) } });
}

/** Whether `If-None-Match` names this tag: one of a list, or `*`; compared weakly (RFC 9110, 13.1.2). */
function isUnchanged(request: Pick<Request, 'headers'>, tag: string): boolean {
  const header = request.headers.get('if-none-match')?.trim() ?? '';
  return header === '*' || header.split(',').some((entry) => opaque(entry.trim()) === opaque(tag));
}

function opaque(tag: string): string {
  return tag.replace(/^W\//, '');
}
