import type { SessionCommit } from '../../../lib/store/change.ts';
import type { SessionStore } from '../../../lib/store/session-store.ts';
import { createMemoryStore } from '../../helpers/memory-store.ts';

export interface ScheduledLogOptions {
  /** Resolves when what it names may happen. */
  gate(what: string): Promise<void>;
  /** `written` is wrong, and here to be found: changes are acknowledged before they are durable. */
  acknowledges?: 'durable' | 'written';
}

interface Waiting {
  commit: SessionCommit;
  resolve(): void;
  reject(error: Error): void;
}

/**
 * A disk with a group commit whose every sync and every read happens when somebody says so. It outlives its stores: what
 * is durable when one of them is gone is what the next one opens with.
 */
export class ScheduledLog {
  /** While false nothing waits: the start of a life is not what is tried. */
  isSteered = false;
  private readonly durable: SessionCommit[] = [];
  private readonly meta = new Map<string, string>();
  /** On its way to the disk, and what waits behind it. */
  private inFlight: Waiting[] = [];
  private queue: Waiting[] = [];
  private life = 0;

  constructor(private readonly options: ScheduledLogOptions) {}

  /** The store of the next life. */
  async store(): Promise<SessionStore> {
    const memory = createMemoryStore();
    for (const commit of this.durable) await memory.commit(commit);
    const mine = this.life;
    return {
      ...memory,
      commit: (commit) => this.commit(mine, memory, commit),
      readMessages: async (tenantId, sessionId) => {
        const messages = await memory.readMessages(tenantId, sessionId);
        await this.step('disk read');
        return messages;
      },
      readMeta: async (key) => this.meta.get(key),
      writeMeta: async (key, value) => void this.meta.set(key, value),
      metaKeys: async () => [...this.meta.keys()],
    };
  }

  /** The process is gone. Of what was on its way the first few may be on the disk: `survivors`, round and round. */
  crash(survivors: number): void {
    const unacknowledged = [...this.inFlight, ...this.queue];
    const kept = survivors % (unacknowledged.length + 1);
    this.durable.push(...unacknowledged.slice(0, kept).map(({ commit }) => commit));
    this.life += 1;
    this.isSteered = false;
    [this.inFlight, this.queue] = [[], []];
    for (const { reject } of unacknowledged) reject(new Error('The process is gone.'));
  }

  private commit(life: number, memory: SessionStore, commit: SessionCommit): Promise<void> {
    if (life !== this.life) return Promise.reject(new Error('The process is gone.'));
    return new Promise((resolve, reject) => {
      this.queue.push({ commit: structuredClone(commit), resolve, reject });
      if (this.options.acknowledges === 'written') resolve();
      if (this.inFlight.length === 0) void this.sync(life, memory);
    });
  }

  /** Everything that was written when a sync began is durable at once when it ends. */
  private async sync(life: number, memory: SessionStore): Promise<void> {
    this.inFlight = this.queue.splice(0);
    await this.step(`disk sync of ${this.inFlight.length}`);
    if (life !== this.life) return;
    const batch = this.inFlight;
    this.durable.push(...batch.map(({ commit }) => commit));
    await Promise.all(batch.map(({ commit }) => memory.commit(commit)));
    for (const { resolve } of batch) resolve();
    this.inFlight = [];
    if (this.queue.length > 0) void this.sync(life, memory);
  }

  private async step(what: string): Promise<void> {
    if (this.isSteered) await this.options.gate(what);
  }
}
