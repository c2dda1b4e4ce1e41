/** Whether `If-None-Match` names this tag: one of a list, or `*`; compared weakly (RFC 9110, 13.1.2). */
export function isUnchanged(request: Pick<Request, 'headers'>, tag: string): boolean {
  const header = request.headers.get('if-none-match')?.trim() ?? '';
  return header === '*' || header.split(',').some((entry) => opaque(entry.trim()) === opaque(tag));
}

function opaque(tag: string): string {
  return tag.replace(/^W\//, '');
}
