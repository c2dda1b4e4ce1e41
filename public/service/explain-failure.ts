import type { OpenSession } from '../state/store.ts';
import type { Api } from './api.ts';

const mostMs = 3_000;

/**
 * Looks for the reason why the last run failed among the events that the service still has: no route tells it, and this
 * page was not there. Finds nothing when the service was started again since.
 */
export async function explainFailure(session: OpenSession, api: Api): Promise<void> {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), mostMs);
  try {
    for await (const { event } of api.events({ sessionId: session.id, after: 0, signal: abort.signal })) {
      const now = session.conversation.value;
      if (now.run || now.over) return;
      if (event.type === 'run.failed')
        session.conversation.value = { ...now, over: { status: 'failed', error: event.error } };
    }
  } catch {
    // The banner then says only that the run failed.
  } finally {
    clearTimeout(timer);
    abort.abort();
  }
}
