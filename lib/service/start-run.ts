import type { App } from '../app.ts';
import { isoTime } from '../base/clock.ts';
import type { Run } from '../run/run.ts';
import { errorResult, unansweredCalls } from '../run/unanswered.ts';
import type { OutgoingEvent } from '../session/session.ts';
import { toSummary } from '../session/summary.ts';
import { messageEvent } from '../session/wire-message.ts';
import { ServiceError } from '../wire/errors.ts';
import type { StoredMessage, ToolCall } from '../wire/message.ts';
import type { SessionFields } from '../wire/session.ts';
import { refuseWhenRemoved } from './refuse.ts';

export type RunStarters = Pick<App, 'runs' | 'guards' | 'store' | 'newId' | 'clock' | 'config' | 'checkpoints' | 'log'>;

export interface RunStart {
  messages: StoredMessage[];
  fields?: SessionFields;
  /** What has to be on disk before the record, for example images. */
  prepare?: () => Promise<void>;
  /** Called in the tick in which the loop starts; `accepted` resolves when the record is durable. */
  started?: (accepted: Promise<void>) => void;
}

/**
 * Turns a reservation into a run: repairs the transcript (a call without a result gets an error result), appends `messages`,
 * stores all of it with the status as one change, and starts the loop beside that record. Resolves when it is durable: then
 * the caller may answer 202. When it can't be stored the reservation is gone and nothing was published.
 */
export async function startRun(app: RunStarters, run: Run, start: RunStart): Promise<string> {
  const { session } = run;
  try {
    if (start.prepare) await start.prepare();
    run.signal.throwIfAborted();
    const repairs = unansweredCalls(session.messages).map((call) => repairOf(app, call));
    const messages = [...repairs, ...start.messages];
    const accepted = session.commit(
      { kind: 'appended', messages, fields: { ...start.fields, status: 'running' } },
      (record) => [
        ...repairs.map((message) => messageEvent('message.started', { store: app.store, session, message })),
        ...messages.map((message) => messageEvent('message.completed', { store: app.store, session, message })),
        { type: 'session.updated', sessionId: session.id, session: toSummary(record) } satisfies OutgoingEvent,
        { type: 'run.started', sessionId: session.id, runId: run.id } satisfies OutgoingEvent,
      ],
    );
    start.started?.(accepted);
    app.runs.start(run, accepted);
    await accepted;
    return run.id;
  } catch (error) {
    app.runs.release(run);
    refuseWhenRemoved(session);
    if (error instanceof Error && error.name === 'RunStopped')
      throw new ServiceError('session_busy', 'The run was cancelled before it started; the message was not stored.');
    throw error;
  }
}

/** The result, as a message of its own, of a call that will never have one. */
export function repairOf(app: Pick<App, 'newId' | 'clock'>, call: Pick<ToolCall, 'id' | 'name'>): StoredMessage {
  return errorResult(call, { id: app.newId('msg'), createdAt: isoTime(app.clock.now()) });
}
