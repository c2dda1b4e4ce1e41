import type { Clock, JsonRecord, Logger, Undo } from '../../lib/plugin-api/index.ts';
import { messageOf } from '../../lib/plugin-api/index.ts';
import type { ServerDefinition } from './definition.ts';
import { type CallOptions, type Link, openLink } from './link.ts';

export type ConnectionState = 'connecting' | 'connected' | 'waiting' | 'closed';

/** One server, connected for as long as the service lives: a lost connection is restored with growing pauses. */
export interface Connection {
  readonly state: ConnectionState;
  /** Why it is not connected. */
  readonly error: string | undefined;
  readonly pid: number | undefined;
  /** How often it was connected again. */
  readonly reconnects: number;
  /** Resolves when the first attempt has succeeded or failed. Never rejects. */
  readonly settled: Promise<void>;
  /** Waits up to five seconds for a connection that is being restored; never sends a call twice. */
  call(name: string, args: JsonRecord, options: CallOptions): Promise<JsonRecord>;
  close(): Promise<void>;
}

export interface ConnectionOptions {
  clock: Clock;
  log: Logger;
  version: string;
  marker: string;
  guard: readonly string[];
  /** The tools that the server offers now; none when it can't be reached for longer than a restart takes. */
  onTools(tools: JsonRecord[]): void;
}

const firstPauseMs = 1_000;
const longestPauseMs = 60_000;
/** A connection that lasted this long did not fail because of how it began. */
const stableMs = 30_000;
const patienceMs = 5_000;
/** A server may say as often as it likes that its tools have changed. */
const listEveryMs = 1_000;

/** Connects at once. */
export function createConnection(definition: ServerDefinition, options: ConnectionOptions): Connection {
  const { clock, log, onTools } = options;
  const closing = new AbortController();
  const waiting = new Set<() => void>();
  let state: ConnectionState = 'connecting';
  let error: string | undefined;
  let link: Link | undefined;
  let reconnects = -1;
  let failures = 0;
  let cancelPause: Undo = () => {};
  let settle = (): void => {};
  const settled = new Promise<void>((resolve) => {
    settle = resolve;
  });
  let attempt = Promise.resolve();

  const enter = (next: ConnectionState, why?: string): void => {
    state = closing.signal.aborted ? 'closed' : next;
    error = why;
    if (state !== 'connecting' && state !== 'waiting') for (const wake of [...waiting]) wake();
  };

  const connect = async (): Promise<void> => {
    enter('connecting', error);
    let opened: Link | undefined;
    try {
      opened = await openLink(definition, { ...options, signal: closing.signal, onToolsChanged: () => void refresh() });
      const tools = await opened.list();
      closing.signal.throwIfAborted();
      link = opened;
      reconnects += 1;
      onTools(tools);
      enter('connected');
      void watch(opened, clock.monotonic());
    } catch (failure) {
      await opened?.close();
      if (closing.signal.aborted) return;
      // Its tools survive a quick restart; a server that does not come back at once has none.
      onTools([]);
      if (failures <= 1) log.warn('The server could not be connected.', { error: hide(textOf(failure)) });
      pause(textOf(failure));
    } finally {
      settle();
    }
  };

  const watch = async (opened: Link, since: number): Promise<void> => {
    const why = await opened.ended;
    if (link === opened) link = undefined;
    if (closing.signal.aborted) return;
    log.warn('The connection to the server was lost.', { error: hide(why) });
    if (clock.monotonic() - since >= stableMs) failures = 0;
    pause(why);
  };

  const pause = (why: string): void => {
    const ms = Math.min(longestPauseMs, firstPauseMs * 2 ** failures);
    failures += 1;
    enter('waiting', hide(why));
    log.debug('It will be connected again.', { inMs: ms, error: hide(why) });
    cancelPause = clock.after(ms, () => {
      attempt = connect();
    });
  };

  /** One listing after another, once a second at most, and never the result of an older one after that of a newer one. */
  let listing: Promise<void> | undefined;
  let again = false;
  let listAt = 0;
  const refresh = async (): Promise<void> => {
    again = true;
    listing ??= (async () => {
      while (again) {
        const early = listAt - clock.monotonic();
        if (early > 0) await new Promise<void>((resolve) => clock.after(early, resolve));
        again = false;
        listAt = clock.monotonic() + listEveryMs;
        const current = link;
        if (current === undefined) break;
        const tools = await current.list().catch((failure: unknown) => {
          log.warn('The changed tools could not be listed.', { error: hide(textOf(failure)) });
          return undefined;
        });
        if (tools && current === link) onTools(tools);
      }
      listing = undefined;
    })();
    return listing;
  };

  const hide = (text: string): string =>
    definition.secrets.reduce((so, secret) => so.replaceAll(secret, '[redacted]'), text).slice(0, 1_000);

  const connected = async (signal: AbortSignal): Promise<Link> => {
    if (!link && state !== 'closed') await wakeOr(waiting, { signal, clock });
    signal.throwIfAborted();
    if (link) return link;
    throw new Error(
      `It is not connected${error === undefined ? '.' : `: ${error}`} It is tried again from time to time.`,
    );
  };

  attempt = connect();
  return {
    settled,
    get state() {
      return state;
    },
    get error() {
      return error;
    },
    get pid() {
      return link?.pid;
    },
    get reconnects() {
      return Math.max(0, reconnects);
    },
    async call(name, args, callOptions) {
      const current = await connected(callOptions.signal);
      try {
        return await current.call(name, args, callOptions);
      } catch (failure) {
        callOptions.signal.throwIfAborted();
        throw new Error(hide(textOf(failure)));
      }
    },
    async close() {
      closing.abort(new Error('The service is stopping.'));
      cancelPause();
      enter('closed');
      await Promise.all([link?.close(), attempt]);
    },
  };
}

/** Until woken, five seconds at most. */
function wakeOr(waiting: Set<() => void>, { signal, clock }: { signal: AbortSignal; clock: Clock }): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      waiting.delete(done);
      cancel();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.after(patienceMs, done);
    waiting.add(done);
    signal.addEventListener('abort', done, { once: true });
    if (signal.aborted) done();
  });
}

function textOf(failure: unknown): string {
  const message = messageOf(failure);
  const status = message.startsWith('Streamable HTTP error') ? Number(Object(failure).code) : 0;
  if (status >= 300) return `It answered with status ${status}.`;
  const cause = failure instanceof Error && failure.cause instanceof Error ? ` (${failure.cause.message})` : '';
  return `${message}${cause}`.replace(/^MCP error -?\d+: /, '');
}
