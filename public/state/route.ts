export type SessionTab = 'chat' | 'files' | 'checkpoints' | 'info';

export type Route =
  | { name: 'home' }
  | { name: 'session'; id: string; tab: SessionTab; messageId?: string; path?: string; line?: number }
  | { name: 'settings'; page: string }
  | { name: 'admin'; page: string }
  | { name: 'unknown' };

/** The route of a location hash. Everything it does not know is `unknown`, never an error. */
export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  const parts = path.split('/').map(decode);
  const [first = '', second = '', third = ''] = parts;
  if (first === '') return { name: 'home' };
  if (first === 'settings') return { name: 'settings', page: second || 'general' };
  if (first === 'admin') return { name: 'admin', page: second || 'users' };
  if (first !== 's' || second === '') return { name: 'unknown' };
  const session = { name: 'session', id: second } as const;
  if (third === 'files') {
    const line = Number(new URLSearchParams(query).get('line'));
    return { ...session, tab: 'files', path: parts.slice(3).join('/'), ...(line > 0 ? { line } : {}) };
  }
  if (third === 'checkpoints' || third === 'info') return { ...session, tab: third };
  if (third === 'm' && parts[3]) return { ...session, tab: 'chat', messageId: parts[3] };
  return { ...session, tab: 'chat' };
}

export const links = {
  home: '#/',
  session: (id: string) => `#/s/${encodeURIComponent(id)}`,
  message: (id: string, messageId: string) => `#/s/${encodeURIComponent(id)}/m/${encodeURIComponent(messageId)}`,
  files: (id: string, path = '', line?: number) =>
    `#/s/${encodeURIComponent(id)}/files/${path.split('/').map(encodeURIComponent).join('/')}${line ? `?line=${line}` : ''}`,
  checkpoints: (id: string) => `#/s/${encodeURIComponent(id)}/checkpoints`,
  info: (id: string) => `#/s/${encodeURIComponent(id)}/info`,
  settings: (page = 'general') => `#/settings/${page}`,
  admin: (page = 'users') => `#/admin/${page}`,
};

/** As it is where it is not encoded well. */
export function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
