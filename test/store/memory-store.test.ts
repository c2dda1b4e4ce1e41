import { createMemoryStore } from '../helpers/memory-store.ts';
import { sessionStoreContract } from './session-store-contract.ts';

sessionStoreContract('memory', async () => ({ store: createMemoryStore(), dispose: async () => undefined }));
