import { existsSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { within } from '../helpers/within.ts';
import { load } from './load.ts';
import { runEffects } from './run-effects.ts';
import { serverEffects } from './server-effects.ts';
import { withKey } from './with-key.ts';

const test = suite('Each configuration key does what it says');

const effects = [...serverEffects, ...runEffects];

for (const effect of effects)
  for (const side of [0, 1] as const)
    test(`${effect.key} ${JSON.stringify(effect.values[side])}: ${JSON.stringify(effect.sees[side])}`, async () => {
      assert.equal(await within(10_000, withKey(effect, effect.values[side], effect.observe)), effect.sees[side]);
    });

/** Keys whose effect needs a socket, a disk or a longer story, and the test that tells it. */
const elsewhere: Readonly<Record<string, string>> = {
  'server.host': 'test/host/start-up.test.ts',
  'server.port': 'test/host/start-up.test.ts',
  'server.drainMs': 'test/host/shutdown.test.ts',
  'server.overloadLagMs': 'test/faults/overload.test.ts',
  'agent.compaction.enabled': 'test/run/compaction.test.ts',
  'agent.compaction.threshold': 'test/run/compaction.test.ts',
  'agent.compaction.keepRecent': 'test/run/compaction.test.ts',
  'agent.compaction.fallbackContextWindow': 'test/run/compaction.test.ts',
  'plugins.hotReloadIntervalMs': 'test/plugins/web-assets.test.ts',
  'storage.directory': 'test/host/data-directory.test.ts',
  'storage.driver': 'test/store/file-driver.test.ts',
  'storage.durability': 'test/store/file-driver.test.ts',
  'storage.minFreeBytes': 'test/faults/storage-low.test.ts',
  'storage.reserveBytes': 'test/faults/full-disk.test.ts',
  'checkpoints.maxFiles': 'test/checkpoints/safety.test.ts',
  'checkpoints.exclude': 'test/checkpoints/ignore.test.ts',
  'log.level': 'test/host/log.test.ts',
  'log.format': 'test/host/log.test.ts',
};

test('no key is without a test of its effect', () => {
  const { config } = load({ file: { model: { default: 'x', temperature: 1, maxTokens: 1 }, plugins: { allow: [] } } });
  const { corsOriginsExplicit: _, ...server } = config.server;
  const keys = keysOf({ ...config, server, plugins: { ...config.plugins, config: 1 } });
  const shown = new Set([...effects.map(({ key }) => key), ...Object.keys(elsewhere)]);
  assert.equal(
    keys.filter((key) => !shown.has(key)),
    [],
  );
  assert.equal(
    Object.values(elsewhere).filter((path) => !existsSync(path)),
    [],
  );
});

test.run();

function keysOf(tree: object, prefix = ''): string[] {
  return Object.entries(tree).flatMap(([name, value]) => {
    const isSection = typeof value === 'object' && value !== null && !Array.isArray(value) && name !== 'workspaces';
    return isSection ? keysOf(value, `${prefix}${name}.`) : [`${prefix}${name}`];
  });
}
