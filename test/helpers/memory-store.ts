import { createHash } from 'node:crypto';
import { applyToMessages, type SessionCommit, type SessionState } from '../../lib/store/change.ts';
import type { SessionStore } from '../../lib/store/session-store.ts';

/** A store that keeps everything in memory, for tests that are about something else. */
export function createMemoryStore(): SessionStore {
  const states = new Map<string, SessionState>();
  const images = new Map<string, Map<string, string>>();
  const meta = new Map<string, string>();
  return {
    open: async () => ({
      sessions: [...states.values()].map((state) => state.record),
      findings: [],
      aside: [],
      incomplete: false,
    }),
    async commit(commit) {
      const next = applyChange(states.get(commit.sessionId), structuredClone(commit));
      if (next) states.set(commit.sessionId, next);
      else {
        states.delete(commit.sessionId);
        images.delete(commit.sessionId);
      }
    },
    async readMessages(_tenantId, sessionId) {
      const state = states.get(sessionId);
      if (!state) throw new Error(`Session ${sessionId} is not in the store.`);
      return structuredClone(state.messages);
    },
    async putImage(_tenantId, sessionId, data) {
      if (!states.has(sessionId)) throw new Error(`Session ${sessionId} is not in the store.`);
      const bytes = Buffer.from(data, 'base64');
      const hash = createHash('sha256').update(bytes).digest('hex');
      const ofSession = images.get(sessionId) ?? new Map<string, string>();
      images.set(sessionId, ofSession.set(hash, bytes.toString('base64')));
      return { hash, bytes: bytes.length };
    },
    readImage: async (_tenantId, sessionId, hash) => images.get(sessionId)?.get(hash),
    readMeta: async (key) => meta.get(key),
    async writeMeta(key, value) {
      meta.set(key, value);
    },
    metaKeys: async () => [...meta.keys()],
    flush: async () => undefined,
    close: async () => undefined,
  };
}

/**
 * Folds one change into a state; `undefined` is "no such session". Mutates and returns `state`.
 */
function applyChange(state: SessionState | undefined, commit: SessionCommit): SessionState | undefined {
  const { change, revision } = commit;
  if (change.kind === 'created') return { record: { ...change.session, revision }, messages: [] };
  if (change.kind === 'deleted' || state === undefined) return undefined;
  applyToMessages(state.messages, change);
  state.record = { ...state.record, ...change.fields, revision };
  return state;
}
