import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createApp } from '../../host/create-app.ts';
import { createLogger } from '../../lib/base/logger.ts';
import { loadConfig } from '../../lib/config/load-config.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { createMemoryStore } from '../helpers/memory-store.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { within } from '../helpers/within.ts';
import { author } from '../store/sample.ts';

const test = suite('A start that fails gives back what it had begun');

test('a store that refuses the end of an interrupted run leaves no timer behind and is closed', async () => {
  const cwd = tempDirectory();
  const clock = createFakeClock();
  const memory = createMemoryStore();
  await memory.commit(author().create({ status: 'running' }));
  let closed = 0;
  const store = {
    ...memory,
    commit: () => Promise.reject(new Error('The disk is gone.')),
    async close() {
      closed += 1;
    },
  };
  const { config } = loadConfig({ env: { SERVICE_DATA_DIR: cwd }, cwd });
  const log = createLogger({ level: 'silent', format: 'text', clock, redact: (text) => text, write() {} });
  const refused = await within(
    10_000,
    createApp({ config, log, clock, store, cwd, bundledPlugins: tempDirectory() }).catch(
      (error: Error) => error.message,
    ),
  );
  assert.is(refused, 'The disk is gone.');
  // What waited for something once is over by then; what looks again and again is not.
  clock.advance(60_000);
  assert.is(clock.pending, 0);
  assert.ok(closed > 0);
});

test.run();
