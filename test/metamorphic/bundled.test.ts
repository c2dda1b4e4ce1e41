import { join } from 'node:path';
import fc from 'fast-check';
import { suite } from 'uvu';
import type { Approval } from '../../lib/wire/approval.ts';
import type { SessionSummary } from '../../lib/wire/session.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { createTestApp, type TestApp } from '../helpers/test-app.ts';
import { eventually } from '../helpers/within.ts';
import { fileStore } from '../store/file-rig.ts';
import type { Answers } from './answers.ts';
import { assertSame } from './compare.ts';
import { hold } from './hold.ts';
import { allowed } from './next-process.ts';

const test = suite('the service as it comes: reading and a restart change nothing');

const instructions = [
  'list files',
  'read notes.txt',
  'write notes.txt: some words',
  'delegate list files',
  'think about gardens',
  'run echo hello',
  'remember that the gate is green',
  'help',
];

const triggers = {
  webhooks: { nightly: { prompt: 'list files', title: 'Nightly', secret: 'a-secret-of-the-hook' } },
  schedules: [{ id: 'weekly', cron: '0 3 * * 1', prompt: 'list files', title: 'Weekly' }],
};
const settings = {
  checkpoints: { enabled: true },
  plugins: {
    directories: [],
    config: { triggers, quota: { default: { maxSessions: 100 } }, 'demo-model': { delayMs: 0 } },
  },
};

const routes = [
  'sessions',
  'approvals',
  'usage',
  'auth/me',
  'config',
  'plugins',
  'bootstrap',
  'health',
  'users',
  'tenants',
];
const ofPlugins = ['quotas', 'triggers', 'mcp', 'search?q=files', 'search?q=gate', 'sessions?roots=1&limit=2'];

test('with every bundled plugin, over whatever it was told to do', () =>
  hold(
    'bundled',
    fc.array(fc.constantFrom(...instructions), { minLength: 1, maxLength: 6 }),
    async (told) => {
      const directory = tempDirectory('bundled');
      const start = (): Promise<TestApp> =>
        createTestApp({ directory, bundled: true, settings, store: fileStore(join(directory, 'data')) });
      const first = await start();
      for (const content of told) await carryOut(first, content);
      await first.call('POST', '/api/triggers/weekly/run', { status: 202 });
      await atRest(first);
      const before = await readAll(first);
      assertSame(before, await readAll(first), 'reading', (body, asked) =>
        asked.includes('health') ? body.replace(/"uptimeMs":\d+/, '') : body,
      );
      await first.close();
      const second = await start();
      const after = await readAll(second);
      await second.close();
      assertSame(before, after, 'a restart', allowed);
    },
    { least: 1 },
  ));

test.run();

async function carryOut(app: TestApp, content: string): Promise<void> {
  const { id } = await app.newSession();
  await app.call('POST', `/api/sessions/${id}/messages`, { status: 202, body: { content } });
  await atRest(app);
}

/** Approves what waits until nothing runs, and the ends of all runs are stored and told: so long the quotas count them. */
async function atRest(app: TestApp): Promise<void> {
  await eventually(
    20_000,
    async () => {
      const { approvals } = await app.call<{ approvals: Approval[] }>('GET', '/api/approvals', {});
      for (const { id, sessionId } of approvals)
        await app.call('POST', `/api/sessions/${sessionId}/approvals/${id}`, { body: { approved: true } });
      const { sessions } = await app.call<{ sessions: SessionSummary[] }>('GET', '/api/sessions', {});
      const { tenants } = await app.call<{ tenants: { running: number }[] }>('GET', '/api/quotas', {});
      const isIdle =
        sessions.every(({ status }) => status !== 'running') && tenants.every(({ running }) => running === 0);
      return approvals.length === 0 && isIdle;
    },
    'the end of all runs',
  );
}

async function readAll(app: TestApp): Promise<Answers> {
  const answers: Answers = new Map();
  const ask = async (path: string): Promise<string> => {
    const response = await app.fetch(`/api/${path}`);
    const text = await response.text();
    answers.set(`GET /api/${path}`, `${response.status} ${text}`);
    return text;
  };
  for (const path of [...routes, ...ofPlugins]) await ask(path);
  const { sessions } = JSON.parse(await ask('sessions')) as { sessions: SessionSummary[] };
  for (const { id } of sessions) {
    for (const tail of ['', '/messages', '/diagnostics', '/files', '/file?path=notes.txt'])
      await ask(`sessions/${id}${tail}`);
    const { checkpoints } = JSON.parse(await ask(`sessions/${id}/checkpoints`)) as { checkpoints: { id: string }[] };
    for (const checkpoint of checkpoints) await ask(`sessions/${id}/checkpoints/${checkpoint.id}/diff`);
  }
  return answers;
}
