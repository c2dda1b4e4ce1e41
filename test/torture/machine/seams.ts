import type { Handler } from '../../../lib/http/endpoint.ts';
import type { SessionStore } from '../../../lib/store/session-store.ts';

/** Where a test takes part in what a world waits for. Without them everything goes on by itself. */
export interface Seams {
  /** The store of the next life, whose data directory is given; default: what the options of the world name. */
  store?(directory: string): Promise<SessionStore>;
  /** Bytes of transcripts that may stay in memory while nobody uses them; default: that of the service. */
  transcriptBytes?: number;
  /** Awaited before each step of a model call and each body of a tool. `what` names it. */
  gate?(what: string, sessionId: string): Promise<void>;
  /** Instead of those of the service. */
  handlers?: readonly Handler[] | undefined;
}
