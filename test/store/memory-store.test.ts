import { createMemoryStore } from '../../lib/store/memory-store.ts';
import { sessionStoreContract } from './session-store-contract.ts';

sessionStoreContract('memory', async () => ({ store: createMemoryStore(), dispose: async () => undefined }));
