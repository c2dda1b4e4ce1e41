import type { RunEnd, ServerEventEnvelope, SessionEvent } from '../wire/event.ts';
import type { ChatMessage } from '../wire/message.ts';
import type { SendMessageRequest } from '../wire/requests.ts';
import type { Usage } from '../wire/usage.ts';
import { ApiError } from './api-error.ts';
import { type Approve, decide, decideForChildren } from './decide-approvals.ts';
import type { EventsOptions } from './events.ts';
import type { Routes } from './routes.ts';

export interface SendAndWaitOptions {
  /** Stops the waiting, not the run: call `cancelRun` for that. */
  signal?: AbortSignal | undefined;
  onEvent?: (envelope: ServerEventEnvelope) => void;
  /**
   * Decides tool calls that need a person, those of sub-agents below this session, too: while there are any, the events of
   * all sessions are followed. Without it they wait for somebody else, or for their timeout.
   */
  approve?: Approve;
}

/** How a run ended. `failed` carries `error`; `message` is the last thing the assistant said in it. */
export interface RunResult {
  runId: string;
  status: RunEnd | 'failed';
  error?: string;
  usage?: Usage;
  message?: ChatMessage;
}

export interface SendAndWaitPorts {
  routes: Pick<Routes, 'sendMessage' | 'readSession' | 'decideApproval' | 'listApprovals'>;
  events(options: EventsOptions): AsyncIterable<ServerEventEnvelope>;
}

/** The tools that start sub-agents (contract: core rule 6). */
const delegating: ReadonlySet<string> = new Set(['delegate', 'delegate_many']);

/**
 * Sends a message and resolves when its run has ended, however it ended. Subscribes first, so no event is missed; after a
 * reconnect or a gap it looks at the session itself. Rejects with ApiError when the message is refused.
 */
export async function sendAndWait(
  ports: SendAndWaitPorts,
  sessionId: string,
  { message, options }: { message: SendMessageRequest; options: SendAndWaitOptions },
): Promise<RunResult> {
  options.signal?.throwIfAborted();
  const stop = new AbortController();
  const follow = () => stop.abort();
  options.signal?.addEventListener('abort', follow, { once: true });
  let outcome: { result: RunResult } | { error: unknown } | undefined;
  const settle = (end: { result: RunResult } | { error: unknown }) => {
    outcome ??= end;
    stop.abort();
  };
  const lookAtSession = async () => {
    const result = sent && (await resultFromState(ports, sessionId, (await sent).runId));
    if (result) settle({ result });
  };
  const inBackground = (work: Promise<unknown>) => void work.catch((error: unknown) => settle({ error }));

  let sent: Promise<{ runId: string }> | undefined;
  let seen = 0;
  /** The end of the run may be among what was not delivered. */
  let hasGap = false;
  const events = ports.events({
    sessionId,
    signal: stop.signal,
    onOpen() {
      // Without an id to continue from, a reconnect replays nothing: what was missed shows in the session only.
      hasGap ||= sent !== undefined;
      if (sent && seen === 0) inBackground(lookAtSession());
      sent ??= ports.routes.sendMessage(sessionId, message, stop.signal);
      inBackground(sent);
    },
  });

  const { approve } = options;
  let hasChildren = false;
  let last: ChatMessage | undefined;
  try {
    for await (const envelope of events) {
      seen++;
      options.onEvent?.(envelope);
      if (!sent) continue;
      const { event } = envelope;
      const { runId } = await sent;
      if (event.type === 'message.completed' && event.message.role === 'assistant') last = event.message;
      if (event.type === 'approval.requested' && approve) inBackground(decide(ports.routes, event.approval, approve));
      if (mayHaveChildren(event) && approve && !hasChildren) {
        hasChildren = true;
        decideForChildren(ports, sessionId, { approve, signal: stop.signal, fail: (error) => settle({ error }) });
      }
      if (event.type === 'stream.gap') {
        hasGap = true;
        await lookAtSession();
      }
      // It was ended without an end of its own: for a deletion that the service could not store.
      if (event.type === 'session.updated' && event.session.status === 'interrupted') await lookAtSession();
      // A later run has ended: then so has this one.
      if (hasGap && isEnd(event) && event.runId !== runId) await lookAtSession();
      if (event.type === 'run.finished' && event.runId === runId)
        settle({ result: { runId, status: event.status, ...some({ usage: event.usage, message: last }) } });
      if (event.type === 'run.failed' && event.runId === runId)
        settle({ result: { runId, status: 'failed', error: event.error, ...some({ message: last }) } });
      if (outcome) break;
    }
  } catch (error) {
    settle({ error });
  } finally {
    options.signal?.removeEventListener('abort', follow);
    stop.abort();
  }
  options.signal?.throwIfAborted();
  return unwrap(outcome);
}

/** Behind a gap nobody knows. */
function mayHaveChildren(event: SessionEvent): boolean {
  return event.type === 'stream.gap' || (event.type === 'tool.started' && delegating.has(event.call.name));
}

function isEnd(event: SessionEvent): event is Extract<SessionEvent, { type: 'run.finished' | 'run.failed' }> {
  return event.type === 'run.finished' || event.type === 'run.failed';
}

function unwrap(outcome: { result: RunResult } | { error: unknown } | undefined): RunResult {
  if (!outcome) throw new ApiError('The session was deleted.', { status: 404, code: 'session_not_found' });
  if ('error' in outcome) throw outcome.error;
  return outcome.result;
}

/** What the session says about a run whose end may have been missed; nothing while it is still running. */
async function resultFromState(
  ports: SendAndWaitPorts,
  sessionId: string,
  runId: string,
): Promise<RunResult | undefined> {
  const { session } = await ports.routes.readSession(sessionId);
  // What was said before the last question belongs to another run.
  const since = session.messages.findLastIndex(({ role }) => role === 'user') + 1;
  const message = session.messages.slice(since).findLast(({ role }) => role === 'assistant');
  if (session.status === 'running') return undefined;
  if (session.status === 'idle') return { runId, status: 'completed', ...some({ message }) };
  if (session.status === 'cancelled') return { runId, status: 'cancelled', ...some({ message }) };
  const error = session.status === 'interrupted' ? 'The run was interrupted.' : 'The run failed.';
  return { runId, status: 'failed', error, ...some({ message }) };
}

/** The fields that have a value. */
function some<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
