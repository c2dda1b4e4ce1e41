import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { repositoriesIn } from '../checkpoints/native-git.ts';
import { startService } from '../helpers/running-service.ts';
import { eventually } from '../helpers/within.ts';
import { fileStore } from '../store/file-rig.ts';
import { noResidents } from '../store/session-store-contract.ts';

const test = suite('Checkpoints of a session whose deletion a crash cut off go after the next start');

/** What the indexes of the checkpoints say. */
function recordsIn(data: string): string {
  return repositoriesIn(join(data, 'checkpoints'))
    .flatMap((path) => ['index.json', 'recent.jsonl'].map((name) => readFileSync(join(path, 'service', name), 'utf8')))
    .join();
}

for (const [name, torn, goes] of [
  ['also when recovery had to drop a write that was cut short', '{"lsn":9', true],
  ['but not when a record is damaged and nobody can tell whose it was', 'x\n', false],
] as const)
  test(name, async () => {
    const service = await startService();
    const data = join(service.directory, 'data');
    const ids: string[] = [];
    for (const label of ['of the deleted one', 'of the other']) {
      const { id } = (await service.client.createSession()).session;
      const body = JSON.stringify({ label });
      const taken = await service.fetch(`/api/sessions/${id}/checkpoints`, { method: 'POST', body });
      assert.is(taken.status, 201);
      ids.push(id);
    }
    assert.is(await service.stop(), 0);
    const [gone = '', kept = ''] = ids;

    const store = fileStore(data);
    const { sessions } = await store.open(noResidents);
    const revision = (sessions.find(({ id }) => id === gone)?.revision ?? 0) + 1;
    await store.commit({ tenantId: 'default', sessionId: gone, revision, change: { kind: 'deleted' } });
    await store.close();
    writeFileSync(join(data, 'log/99.log'), torn);

    const again = await service.restart();
    assert.match(again.output(), 'Recovery: ');
    if (goes) await eventually(15_000, () => !recordsIn(data).includes(gone), 'the records to go');
    else await new Promise((resolve) => setTimeout(resolve, 4_000));
    assert.is(recordsIn(data).includes(gone), !goes);
    assert.ok(recordsIn(data).includes(kept));
    assert.is(await again.stop(), 0);
  });

test.run();
