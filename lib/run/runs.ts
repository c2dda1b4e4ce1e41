import { messageOf } from '../base/caught.ts';
import type { OutgoingEvent, Session } from '../session/session.ts';
import { toSummary } from '../session/summary.ts';
import { messageEvent } from '../session/wire-message.ts';
import type { SessionChange } from '../store/change.ts';
import type { RunEnd } from '../wire/event.ts';
import type { SessionStatus } from '../wire/session.ts';
import type { Usage } from '../wire/usage.ts';
import { recordSkipped } from './execute-tool.ts';
import { type ClaimOptions, Run, type RunSurroundings, type StopReason } from './run.ts';
import { runLoop } from './run-loop.ts';
import { unansweredCalls } from './unanswered.ts';

export type RunOutcome =
  | { status: RunEnd | 'interrupted'; usage: Usage }
  | { status: 'failed'; error: string; usage: Usage };

/** The active runs, one per session at most. */
export interface Runs {
  /** Reserves the session: from here on it is busy. Call it in the same tick as the checks before it. */
  claim(session: Session, options?: ClaimOptions): Run;
  /** Gives a reservation back that never became a run. */
  release(run: Run): void;
  /** Starts the loop beside the record of the run's start; nothing is published before that record is durable. */
  start(run: Run, accepted: Promise<void>): void;
  /** Ends the active run of a session; true when there was one and this call ends it. */
  stop(sessionId: string, reason: StopReason): boolean;
  /** Resolves when the run of the session is over, with what it came to; undefined when there is none. Never rejects. */
  settled(sessionId: string): Promise<RunOutcome | undefined>;
  /**
   * Refuses nothing by itself; ends every active run as interrupted and waits for them, and for the records of those
   * that ended before.
   */
  stopAll(): Promise<void>;
  /** The active run of a session, reservations included. */
  activeRun(sessionId: string): Run | undefined;
  readonly active: number;
  /** Active runs of a tenant, reservations included, until their ends are stored: for the disk, that long they run. */
  activeOf(tenantId: string): number;
}

export function createRuns(around: RunSurroundings): Runs {
  const bySession = new Map<string, Run>();
  const perTenant = new Map<string, number>();
  /** Also runs whose reservation is given back already, until their end is stored and published. */
  const unsettled = new Set<Promise<unknown>>();
  const counted = new Set<Run>();
  const count = (tenantId: string, change: number): void => {
    const next = (perTenant.get(tenantId) ?? 0) + change;
    if (next === 0) perTenant.delete(tenantId);
    else perTenant.set(tenantId, next);
  };
  const slot: Slot = {
    free(run) {
      if (bySession.get(run.session.id) === run) bySession.delete(run.session.id);
      if (run.session.activeRunId === run.id) run.session.activeRunId = undefined;
    },
    discount(run) {
      if (counted.delete(run)) count(run.session.tenantId, -1);
    },
  };

  const runs: Runs = {
    claim(session, options) {
      const run = new Run(session, around, options);
      session.activeRunId = run.id;
      bySession.set(session.id, run);
      counted.add(run);
      count(session.tenantId, 1);
      return run;
    },
    release(run) {
      slot.free(run);
      slot.discount(run);
    },
    start(run, accepted) {
      run.accepted = accepted;
      accepted.catch(() => run.stop('void'));
      if (bySession.get(run.session.id) !== run) return;
      const outcome = execute(run, slot).finally(() => slot.discount(run));
      run.outcome = outcome;
      unsettled.add(outcome);
      void outcome.then(() => unsettled.delete(outcome));
    },
    stop: (sessionId, reason) => bySession.get(sessionId)?.stop(reason) ?? false,
    settled: async (sessionId) => bySession.get(sessionId)?.outcome,
    async stopAll() {
      for (const run of bySession.values()) run.stop('stopped');
      await Promise.all(unsettled);
    },
    activeRun: (sessionId) => bySession.get(sessionId),
    activeOf: (tenantId) => perTenant.get(tenantId) ?? 0,
    get active() {
      return bySession.size;
    },
  };
  return runs;
}

/** What a run holds. */
interface Slot {
  /** The session takes the next message. */
  free(run: Run): void;
  /** The tenant's limits no longer count it. */
  discount(run: Run): void;
}

/** The loop with its one terminal transition, until that is stored. Never rejects. */
async function execute(run: Run, slot: Slot): Promise<RunOutcome | undefined> {
  let outcome: RunOutcome | undefined;
  try {
    const status = await runLoop(run);
    outcome = run.stopReason ? stopped(run) : { status, usage: run.usage };
  } catch (error) {
    const text = run.around.hideSecrets(messageOf(error));
    outcome = run.stopReason ? stopped(run) : { status: 'failed', error: text, usage: run.usage };
    if (!run.stopReason) run.around.log.warn('A run failed.', { sessionId: run.session.id, runId: run.id, error });
  }
  if (run.stopReason === 'void' || !outcome) {
    slot.free(run);
    // The deletion, if that is why.
    await run.session.settled();
    return undefined;
  }
  run.around.meter.runEnded(outcome.status);
  await finish(run, outcome, slot);
  return outcome;
}

async function finish(run: Run, outcome: RunOutcome, slot: Slot): Promise<void> {
  const { session } = run;
  const why =
    outcome.status === 'cancelled' ? 'Cancelled before it was executed.' : 'Not executed: the run ended before it.';
  if (outcome.status !== 'interrupted')
    for (const call of unansweredCalls(session.messages)) recordSkipped(run, call, why);
  try {
    const stored = session.commit(endChange(run, statusAfter(outcome)), (record) => [
      ...lastReplyEvents(run),
      { type: 'session.updated', sessionId: session.id, session: toSummary(record) },
      ...endEvents(run, outcome),
    ]);
    // The reservation is given back in the same tick: whoever sees the end of the run can send the next message.
    run.ended = true;
    slot.free(run);
    await stored;
    slot.discount(run);
  } catch (error) {
    run.ended = true;
    slot.free(run);
    if (!session.removed) endUnstored(run, outcome, error);
  }
}

function endChange(run: Run, status: SessionStatus): SessionChange {
  if (!run.lastReply) return { kind: 'updated', fields: { status } };
  const { message, usage } = run.lastReply;
  return { kind: 'appended', messages: [message], fields: { status, usage } };
}

function lastReplyEvents(run: Run): OutgoingEvent[] {
  const { session, around, lastReply } = run;
  return lastReply
    ? [messageEvent('message.completed', { store: around.store, session, message: lastReply.message })]
    : [];
}

/** The end holds in memory and for those who watch, who are told that it was not stored. */
function endUnstored(run: Run, outcome: RunOutcome, error: unknown): void {
  const { session, around, usage } = run;
  around.log.error('The end of a run could not be stored.', { sessionId: session.id, runId: run.id, error });
  const lost = outcome.status === 'completed' || outcome.status === 'max_steps';
  const told: RunOutcome = lost
    ? { status: 'failed', error: `The end of the run could not be stored: ${messageOf(error)}`, usage }
    : outcome;
  session.setStatusInMemory(statusAfter(told));
  session.publish({ type: 'session.updated', sessionId: session.id, session: toSummary(session.record) });
  for (const event of endEvents(run, told)) session.publish(event);
}

function endEvents(run: Run, outcome: RunOutcome) {
  const sessionId = run.session.id;
  if (outcome.status === 'interrupted') return [];
  if (outcome.status === 'failed')
    return [{ type: 'run.failed', sessionId, runId: run.id, error: outcome.error } as const];
  return [{ type: 'run.finished', sessionId, runId: run.id, status: outcome.status, usage: outcome.usage } as const];
}

function statusAfter(outcome: RunOutcome): SessionStatus {
  if (outcome.status === 'failed') return 'error';
  return outcome.status === 'cancelled' || outcome.status === 'interrupted' ? outcome.status : 'idle';
}

function stopped(run: Run): RunOutcome | undefined {
  if (run.stopReason === 'cancelled') return { status: 'cancelled', usage: run.usage };
  return run.stopReason === 'stopped' ? { status: 'interrupted', usage: run.usage } : undefined;
}
