import { pluginServices } from '../../lib/service/plugin-services.ts';
import type { CheckpointList } from '../../lib/wire/checkpoint.ts';
import type { StoredMessage } from '../../lib/wire/message.ts';
import { tokenOf } from '../torture/machine/life.ts';
import type { History } from './history.ts';

/** Everything that the service shows, by what was asked: status and whole body of each answer. */
export type Answers = Map<string, string>;

export type Viewer = 'a' | 'b' | 'admin';

const everything = '/api/sessions';
const lists = [
  everything,
  ...['limit=1', 'limit=2', 'limit=1000', 'roots=true', 'roots=1&limit=1', 'status=idle', 'status=running,interrupted'],
  ...[
    'status=error,cancelled&limit=1',
    'q=plan',
    'q=renamed&limit=1',
    'q=scripted%20session',
    'limit=0',
    'cursor=wrong',
  ],
].map((query, at) => (at === 0 ? query : `${everything}?${query}`));
const searches = [
  'q=answer',
  'q=plan',
  'q=plan&limit=1',
  'q=answer&limit=1',
  'q=alpha+be',
  'q=renamed',
  'q=',
  'q=noted',
];
const common = [
  ...lists,
  ...searches.map((query) => `/api/search?${query}`),
  ...['approvals', 'usage', 'auth/me', 'config', 'plugins', 'bootstrap', 'health', 'no-such-route'].map(
    (name) => `/api/${name}`,
  ),
];
const administrative = ['users', 'tenants', 'usage?tenant=a', 'usage?tenant=b', 'metrics'].map(
  (name) => `/api/${name}`,
);
const ofSession = ['', '/messages', '/messages?limit=0', '/diagnostics', '/checkpoints', '/files', '/files?path=none'];

export function headersOf(viewer: Viewer): Record<string, string> {
  const token = viewer === 'admin' ? 'token-of-the-administrator' : tokenOf(viewer);
  return { authorization: `Bearer ${token}`, 'x-request-id': 'metamorphic' };
}

/** Asks for everything, as each viewer. Pages are followed to their end. */
export async function answersOf(history: History, viewers: readonly Viewer[] = ['a', 'b', 'admin']): Promise<Answers> {
  const answers: Answers = new Map();
  for (const viewer of viewers) {
    const ask = async <T>(path: string, name = path): Promise<T> => {
      const { status, text } = await read(history, viewer, path);
      answers.set(`${viewer} GET ${name}`, `${status} ${text}`);
      return (text.startsWith('{') ? JSON.parse(text) : {}) as T;
    };
    for (const path of common) await askPages(path, ask);
    if (viewer === 'admin') for (const path of administrative) await ask(path);
    for (const { id, tenantId } of history.sessions) if (tenantId === viewer) await askSession(id, ask);
    answers.set(`${viewer} tenant.usage`, JSON.stringify(tenantUsage(history, viewer)));
  }
  return answers;
}

/** What guards of plugins go by, and `GET /api/quotas` shows. */
function tenantUsage({ world }: Pick<History, 'world'>, viewer: Viewer): unknown {
  return pluginServices(world.life.app, () => [])['tenant.usage'].of(viewer === 'admin' ? 'default' : viewer);
}

type Ask = <T>(path: string, name?: string) => Promise<T>;

async function askPages(path: string, ask: Ask): Promise<void> {
  let { nextCursor } = await ask<{ nextCursor?: string }>(path);
  for (let page = 2; nextCursor !== undefined && page < 20; page++)
    ({ nextCursor } = await ask<{ nextCursor?: string }>(
      `${path}&cursor=${encodeURIComponent(nextCursor)}`,
      `${path} page ${page}`,
    ));
}

async function askSession(id: string, ask: Ask): Promise<void> {
  const path = `${everything}/${id}`;
  for (const tail of ofSession) await ask(path + tail);
  for (const file of [0, 1, 2]) await ask(`${path}/file?path=file-${file}.txt`);
  const seen: StoredMessage[] = [];
  for (let before = ''; ; ) {
    const page = await ask<{ messages?: StoredMessage[]; more?: boolean }>(`${path}/messages?limit=2${before}`);
    seen.unshift(...(page.messages ?? []));
    if (!page.more) break;
    before = `&before=${page.messages?.[0]?.id}`;
  }
  for (const hash of new Set(seen.flatMap(({ images = [] }) => images.map((image) => image.hash))))
    await ask(`${path}/images/${hash}`);
  const { checkpoints = [] } = await ask<Partial<CheckpointList>>(`${path}/checkpoints`);
  for (const [at, checkpoint] of checkpoints.entries()) {
    await ask(`${path}/checkpoints/${checkpoint.id}/diff`);
    const next = checkpoints[at + 1];
    if (next) await ask(`${path}/checkpoints/${next.id}/diff?against=${checkpoint.id}`);
  }
}

export async function read(
  { world }: Pick<History, 'world'>,
  viewer: Viewer,
  path: string,
): Promise<{ status: number; text: string }> {
  const response = await world.life.fetch(path, { headers: headersOf(viewer) });
  const text = await response.text();
  return { status: response.status, text: path === '/api/metrics' ? figuresOf(text) : text };
}

/** What the figures say of sessions, runs and changes. Models are asked beside the record of a message that is refused. */
function figuresOf(text: string): string {
  const wanted = /^service_(sessions|runs_|events_total|approvals|log_commits|storage)/;
  return text
    .split('\n')
    .filter((line) => wanted.test(line))
    .join('\n');
}
