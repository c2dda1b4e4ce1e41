import type { App } from '../app.ts';
import { unansweredCalls } from '../run/unanswered.ts';
import type { OutgoingEvent, Session } from '../session/session.ts';
import { toSummary } from '../session/summary.ts';
import { messageEvent } from '../session/wire-message.ts';
import type { Diagnosis, Repair } from '../wire/diagnosis.ts';
import { diagnoseSession } from './diagnose-session.ts';
import { refuseWhenBusy, refuseWhenRemoved } from './refuse.ts';
import { repairOf } from './start-run.ts';

/**
 * Puts right what can be put right without guessing: calls of the last reply get their error results and a stuck status
 * becomes `interrupted`, as one change. A healthy session is not touched. Throws `session_busy` while a run is active.
 */
export async function repairSession(
  app: Pick<App, 'runs' | 'store' | 'newId' | 'clock'>,
  session: Session,
): Promise<Repair> {
  const before = await diagnoseSession(app, session);
  refuseWhenRemoved(session);
  if (app.runs.activeRun(session.id) === undefined) session.activeRunId = undefined;
  refuseWhenBusy(session);
  const claim = app.runs.claim(session, { isChange: true });
  try {
    await repairTranscript(app, session, before);
  } finally {
    app.runs.release(claim);
  }
  return {
    repaired: before.findings.filter(({ repair }) => repair !== undefined),
    diagnosis: await diagnoseSession(app, session),
  };
}

/** What counts is the transcript of this moment, not that of the diagnosis: from the claim on nobody else changes it. */
async function repairTranscript(
  app: Pick<App, 'store' | 'newId' | 'clock'>,
  session: Session,
  { findings }: Diagnosis,
): Promise<void> {
  const readable = findings.every(({ code }) => code !== 'unreadable_transcript');
  if (readable) await session.load();
  refuseWhenRemoved(session);
  const results = readable ? unansweredCalls(session.messages).map((call) => repairOf(app, call)) : [];
  const stuck = session.record.status === 'running';
  if (results.length === 0 && !stuck) return;
  const fields = stuck ? { status: 'interrupted' as const } : {};
  const change =
    results.length > 0
      ? { kind: 'appended' as const, messages: results, fields }
      : { kind: 'updated' as const, fields };
  await session.commit(change, (record): OutgoingEvent[] => [
    ...results.flatMap((message) => [
      messageEvent('message.started', { store: app.store, session, message }),
      messageEvent('message.completed', { store: app.store, session, message }),
    ]),
    { type: 'session.updated', sessionId: session.id, session: toSummary(record) },
  ]);
}
