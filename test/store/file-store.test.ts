import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileStore } from './file-rig.ts';
import { sessionStoreContract } from './session-store-contract.ts';

for (const durability of ['full', 'process'] as const)
  sessionStoreContract(`files, durability ${durability}`, async () => {
    const directory = await mkdtemp(join(tmpdir(), 'store-'));
    let store = fileStore(directory, { durability });
    const first = store;
    return {
      store,
      async reopen() {
        await store.close();
        store = fileStore(directory, { durability });
        return store;
      },
      async dispose() {
        await first.close();
        await store.close();
        await rm(directory, { recursive: true, force: true });
      },
    };
  });
