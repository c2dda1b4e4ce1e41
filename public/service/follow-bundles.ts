import type { Send } from '../../lib/client/connection.ts';
import { readPluginEvents } from '../../lib/client/events.ts';

/**
 * Follows the plugin stream. `onChange` is called after each save, and after each connection, before which something may have been
 * missed. Where the service does not watch, the stream would stay silent and cost one of six connections: it ends at once.
 * Returns what ends it.
 */
export function followBundles(send: Send, onChange: () => void): () => void {
  const abort = new AbortController();
  const follow = async (): Promise<void> => {
    for await (const event of readPluginEvents(send, { signal: abort.signal })) {
      if (event.type === 'ready' && !event.enabled) return;
      onChange();
    }
  };
  // A refusal is the main stream's to tell.
  follow().catch(() => undefined);
  return () => abort.abort();
}
