import { tempDirectory } from '../helpers/temp-directory.ts';
import { sessionStoreContract } from '../store/session-store-contract.ts';
import { sqlStore } from './sql-rig.ts';

sessionStoreContract('sql', async () => {
  const directory = tempDirectory();
  const stores = [sqlStore(directory)];
  const latest = () => stores.at(-1) ?? sqlStore(directory);
  return {
    store: latest(),
    async reopen() {
      await latest().close();
      stores.push(sqlStore(directory));
      return latest();
    },
    dispose: () => latest().close(),
  };
});
