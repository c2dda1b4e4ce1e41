import { mkdirSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { watchStorage } from '../../host/watch-storage.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { createMemoryStore } from '../helpers/memory-store.ts';
import { scriptedModel } from '../helpers/scripted-model.ts';
import { withApp } from '../helpers/with-app.ts';
import { eventually } from '../helpers/within.ts';

const watching = suite('Free space is looked at when the service starts and every 5 s');

watching('low, enough again, low: each change is told once', async () => {
  const clock = createFakeClock();
  const told: (number | undefined)[] = [];
  let free = 99;
  let looks = 0;
  const watch = await watchStorage({
    directory: '/data',
    minFreeBytes: 100,
    clock,
    changed: (missing) => told.push(missing),
    async freeBytes(directory) {
      assert.is(directory, '/data');
      looks += 1;
      return free;
    },
  });
  const next = async () => {
    clock.advance(5_000);
    await new Promise((resolve) => setImmediate(resolve));
  };
  assert.is(watch.missingSpace(), 99);
  clock.advance(4_999);
  assert.is(looks, 1);
  free = 98;
  clock.advance(1);
  await next();
  assert.is(watch.missingSpace(), 98);
  free = 100;
  await next();
  assert.is(watch.missingSpace(), undefined);
  free = 0;
  await next();
  assert.equal(told, [99, undefined, 0]);
  watch.stop();
  assert.is(clock.pending, 0);
});

watching('what can not be measured counts as enough, and 0 turns it off', async () => {
  const clock = createFakeClock();
  const never = (): never => assert.unreachable() as never;
  const options = { directory: '/data', clock, changed: never };
  const freeBytes = () => Promise.reject(new Error('ENOSYS'));
  const blind = await watchStorage({ ...options, minFreeBytes: 100, freeBytes });
  assert.is(blind.missingSpace(), undefined);
  blind.stop();
  const off = await watchStorage({ ...options, minFreeBytes: 0, freeBytes: never });
  assert.equal([off.missingSpace(), clock.pending], [undefined, 0]);
});

watching.run();

const guard = suite('storage_low: new sessions and runs are refused, reading and deleting go on');

/** More than any disk has. */
const everything = Number.MAX_SAFE_INTEGER;

guard('when less than storage.minFreeBytes is free', async () => {
  const { store, directory, sessionId } = await filled();
  await withApp(
    { directory, store, models: [scriptedModel()], settings: { storage: { minFreeBytes: everything } } },
    async (app) => {
      const path = `/api/sessions/${sessionId}`;
      for (const target of ['/api/sessions', `${path}/messages`]) {
        const refused = await app.fetch(target, { method: 'POST', body: '{"content":"hi"}' });
        assert.is(refused.status, 429);
        assert.is(refused.headers.get('retry-after'), '5');
        const { error } = (await refused.json()) as { error: { code: string; message: string } };
        assert.is(error.code, 'storage_low');
        assert.match(error.message, 'storage.minFreeBytes');
      }
      assert.is((await app.detail(sessionId)).messages.length, 0);
      assert.ok(app.lines.some((line) => line.includes('nearly full')));
      const { config } = await app.call<{ config: { storage: { minFreeBytes: number } } }>('GET', '/api/config', {});
      assert.is(config.storage.minFreeBytes, everything);
      await app.call('DELETE', path, { status: 204 });
    },
  );
});

guard('administrators hear of it, others do not', async () => {
  const { store, directory } = await filled();
  const env = { SERVICE_AUTH_MODE: 'accounts', SERVICE_BOOTSTRAP_TOKEN: 'a-long-bootstrap-token' };
  const settings = { storage: { minFreeBytes: everything } };
  await withApp({ directory, store, env, settings }, async (app) => {
    const admin = { authorization: 'Bearer a-long-bootstrap-token' };
    const { token } = await app.call<{ token: string }>('POST', '/api/users', {
      status: 201,
      headers: admin,
      body: { name: 'Ada' },
    });
    const forAdmin = await app.events('/api/events?lastEventId=0', admin);
    const forUser = await app.events(`/api/events?lastEventId=0&token=${token}`);
    const seen = await forAdmin.until('notice');
    assert.match(JSON.stringify(seen), 'nearly full');
    await eventually(1_000, () => forUser.retries.length === 1);
    assert.equal(forUser.envelopes, []);
    await Promise.all([forAdmin.close(), forUser.close()]);
  });
});

guard('administrators hear why the store refuses changes, and that it takes them again', async () => {
  const clock = createFakeClock();
  let trouble: 'read-only' | undefined;
  const store = { ...createMemoryStore(), trouble: () => trouble };
  await withApp({ clock, store }, async (app) => {
    const stream = await app.events('/api/events');
    trouble = 'read-only';
    clock.advance(2_000);
    const seen = await stream.until('notice');
    assert.match(JSON.stringify(seen), 'data directory is read-only');
    trouble = undefined;
    clock.advance(2_000);
    await eventually(2_000, () => JSON.stringify(stream.envelopes).includes('stored again'));
    const notices = stream.envelopes.filter(({ event }) => event.type === 'notice');
    assert.is(notices.length, 2);
    await stream.close();
  });
});

guard.run();

/** A data directory with one session, as an earlier process left it. */
async function filled() {
  const store = createMemoryStore();
  let [directory, sessionId] = ['', ''];
  await withApp({ store }, async (app) => {
    directory = app.directory;
    mkdirSync(app.app.config.storage.directory, { recursive: true });
    sessionId = (await app.newSession()).id;
  });
  return { store, directory, sessionId };
}
