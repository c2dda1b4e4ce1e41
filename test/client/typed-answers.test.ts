import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { handlers } from '../../host/routes.ts';
import { type Client, createClient } from '../../lib/client/index.ts';
import { createFetch } from '../../lib/http/create-fetch.ts';
import { pixel } from '../helpers/pixel.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import type { TestApp } from '../helpers/test-app.ts';
import { withApp } from '../helpers/with-app.ts';

const test = suite('The types of the client are those of the answers: no field too many, none missing');

/** An answer, and the type that it should have. */
type Typed = [type: string, value: unknown];

/** As `client`, and whatever it answers is noted with the type that it was promised. */
function noting(client: Client, answers: Typed[]): Client {
  return new Proxy(client, {
    get(target, name: keyof Client) {
      const method = target[name];
      if (name === 'events' || name === 'pluginEvents') return method;
      return async (...given: never[]) => {
        const value: unknown = await Reflect.apply(method, target, given);
        if (value !== undefined) answers.push([`Awaited<ReturnType<Client['${name}']>>`, value]);
        return value;
      };
    },
  });
}

test('every route and every event of a session that does what sessions do', () => {
  const settings = {
    checkpoints: { enabled: true },
    plugins: {
      config: { quota: { default: { maxSessions: 100 } }, triggers: { webhooks: { push: { prompt: 'list files' } } } },
    },
  };
  return withApp({ bundled: true, settings }, async (service) => {
    const answers: Typed[] = [];
    const fetch = createFetch(handlers, service.app);
    const plain = createClient({ baseUrl: 'http://service', fetch: (url, init) => fetch(new Request(url, init)) });
    const stop = new AbortController();
    const watching = note(plain.events({ after: 0, signal: stop.signal }), answers);
    await askEverything(noting(plain, answers), service);
    stop.abort();
    await watching;
    assert.equal(problemsOf(answers), []);
    const asked = answers.map(([type]) => /'(\w+)'/.exec(type)?.[1]);
    const quiet = ['request', 'events', 'pluginEvents', 'deleteSession', 'deleteUser'];
    const left = Object.keys(plain).filter((name) => !asked.includes(name) && !quiet.includes(name));
    assert.equal(left, [], 'a method whose answer nobody looked at: call it in askEverything');
  });
});

async function note(events: ReturnType<Client['events']>, answers: Typed[]): Promise<void> {
  for await (const envelope of events) answers.push(['ServerEventEnvelope', envelope]);
}

const complete = () => Promise.reject(new Error('This model is broken.'));

async function askEverything(client: Client, { app, workspace }: TestApp): Promise<void> {
  for (const name of ['health', 'bootstrap', 'config', 'plugins', 'usage', 'quotas', 'me', 'listUsers'] as const)
    await client[name]();
  const { tenant } = await client.createTenant({ name: 'Acme' });
  const { user } = await client.createUser({ name: 'Ada', tenantId: tenant.id });
  await client.rotateToken(user.id);
  await client.listUsers();
  await client.listTenants();
  await client.callHook('push');

  writeFileSync(join(workspace, 'a.txt'), 'hello\n');
  writeFileSync(join(workspace, 'b.bin'), Buffer.from([0, 1, 255]));
  const { session } = await client.createSession({ title: 'A title', systemPrompt: 'Be brief.' });
  const { id } = session;
  const images = [{ mimeType: 'image/png' as const, data: pixel, name: 'pixel' }];
  await client.sendAndWait(id, 'read a.txt', { images });
  await client.sendAndWait(id, 'think about it');
  await client.sendAndWait(id, 'delegate look at the files');
  await client.sendAndWait(id, 'run echo hi', {
    async approve(approval) {
      await client.readSession(id);
      await client.listApprovals();
      await client.decideApproval(id, approval.id, { approved: true });
      return true;
    },
  });
  await client.updateSession(id, { title: 'Another title' });
  for (const query of [{}, { limit: 1, roots: 1 as const, q: 'title' }]) await client.listSessions(query);
  await client.listMessages(id, { limit: 2 });
  await client.search('hello');
  await client.listFiles(id);
  for (const path of ['a.txt', 'b.bin']) await client.readFile(id, path);
  const { checkpoint } = await client.createCheckpoint(id);
  writeFileSync(join(workspace, 'a.txt'), 'changed\n');
  await client.listCheckpoints(id);
  await client.diffCheckpoint(id, checkpoint.id);
  await client.previewRestore(id, checkpoint.id);
  await client.restoreCheckpoint(id, checkpoint.id);
  await client.diagnoseSession(id);
  await client.repairSession(id);

  app.models.register({ info: { id: 'broken', provider: 'test', supportsTools: false }, complete });
  const failing = (await client.createSession({ model: 'broken' })).session.id;
  await client.sendAndWait(failing, 'hello');
  await client.resumeSession(failing);

  const last = (await client.readSession(id)).session.messages.findLast(({ role }) => role === 'user');
  await client.rewindSession(id, { messageId: last?.id ?? '' });
  await client.compactSession(id);
  await client.updateSession(id, { model: 'demo' });
  await client.sendMessage(id, { content: 'wait 30' });
  await client.listSessions();
  await client.cancelRun(id);
  await client.deleteSession(id);
}

/** What the compiler says when each answer is written where its type is wanted. */
function problemsOf(answers: readonly Typed[]): string[] {
  const folder = tempDirectory('answers');
  const from = JSON.stringify(resolve('lib/client/index.ts'));
  const lines = answers.map(([type, value], at) => `export const answer${at}: ${type} = ${JSON.stringify(value)};`);
  const head = `import type { Client, ServerEventEnvelope } from ${from};`;
  writeFileSync(join(folder, 'answers.ts'), [head, ...lines].join('\n'));
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: 'nodenext',
    target: 'es2022',
    lib: ['es2023'],
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    types: ['node'],
    typeRoots: [resolve('node_modules/@types')],
  };
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['answers.ts'] }));
  const { stdout } = spawnSync(resolve('node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' });
  const wrong = [...stdout.matchAll(/answers\.ts\((\d+),\d+\): (error .*)/g)];
  return wrong.length === 0
    ? [...stdout.matchAll(/error .*/g)].map(String)
    : wrong.map(([, line, text]) => `${answers[Number(line) - 2]?.[0]}: ${text}`);
}

test.run();
