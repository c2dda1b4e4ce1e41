import type { Row, Statement } from './database.ts';

/** What never changes while a worker lives. */
export interface WorkerSettings {
  /** The directory of the database; created from the seed when it is not there. */
  directory: string;
  /** The file that a new database begins as. */
  seed: string;
  /** False: nothing is synced, so that commits survive the end of the process only. */
  durable: boolean;
}

export type WorkerRequest = { id: number } & (
  | { type: 'transaction'; statements: readonly Statement[] }
  | { type: 'query'; statement: Statement }
  | { type: 'close' }
);

export type WorkerReply =
  /** The database is open. */
  | { type: 'ready' }
  /** It can't be opened; `final` when trying again would not help. */
  | { type: 'refused'; reason: string; final: boolean }
  /** The system refused to write: PostgreSQL may hang now. */
  | { type: 'fault'; code: string }
  | { type: 'done'; id: number; rows: Row[][] }
  | { type: 'failed'; id: number; reason: string; code?: string }
  /** The server inside is broken; the worker ends. */
  | { type: 'lost'; reason: string };
