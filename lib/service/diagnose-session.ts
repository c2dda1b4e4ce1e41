import type { App } from '../app.ts';
import { unansweredCalls } from '../run/unanswered.ts';
import type { Session } from '../session/session.ts';
import type { Diagnosis, Finding } from '../wire/diagnosis.ts';
import type { StoredMessage } from '../wire/message.ts';
import { refuseWhenRemoved } from './refuse.ts';

/**
 * Looks at one session: status, transcript and every image it refers to. O(transcript), and reads the images one by one. Throws
 * `session_not_found` when it is deleted meanwhile.
 */
export async function diagnoseSession(app: Pick<App, 'runs' | 'store'>, session: Session): Promise<Diagnosis> {
  const broken = await session.load().then(
    () => undefined,
    (): Finding => ({
      code: 'unreadable_transcript',
      message:
        'The transcript cannot be read from the store; the log of the service says why. Restore a backup, or delete the session.',
    }),
  );
  const messages = broken ? [] : [...session.messages];
  const { status } = session.record;
  const run = app.runs.activeRun(session.id);
  const findings = [...stuckFindings(session, run !== undefined), ...(broken ? [broken] : [])];
  findings.push(...pairFindings(messages, run !== undefined));
  for (const message of messages) findings.push(...(await imageFindings(app, session, message)));
  // Its images go with it, and what can't be found any more is no damage then.
  refuseWhenRemoved(session);
  return { sessionId: session.id, status, activeRunId: run?.id ?? null, messages: messages.length, findings };
}

function stuckFindings(session: Session, runs: boolean): Finding[] {
  const findings: Finding[] = [];
  if (session.activeRunId !== undefined && !runs)
    findings.push({
      code: 'stuck_reservation',
      message: `The session is reserved for the run ${session.activeRunId}, which does not exist.`,
      repair: 'frees the session',
    });
  if (session.record.status === 'running' && !runs)
    findings.push({
      code: 'stuck_status',
      message: 'The status is "running", but no run is active.',
      repair: 'sets the status to "interrupted", which can be resumed',
    });
  return findings;
}

function pairFindings(messages: readonly StoredMessage[], runs: boolean): Finding[] {
  const last = new Set(unansweredCalls(messages).map(({ id }) => id));
  const answered = new Set(messages.flatMap(({ toolCallId }) => toolCallId ?? []));
  const asked = new Set<string>();
  return messages.flatMap((message) => {
    for (const { id } of message.toolCalls ?? []) asked.add(id);
    const open = (message.toolCalls ?? []).filter(({ id }) => last.has(id) || !answered.has(id));
    const findings = open.flatMap((call) => (last.has(call.id) && runs ? [] : [unpairedCall(message, call, last)]));
    const { toolCallId } = message;
    if (message.role !== 'tool' || (toolCallId !== undefined && asked.has(toolCallId))) return findings;
    const text = 'This result belongs to no call before it. People see it; the model is not sent it.';
    return [...findings, { code: 'unpaired_result' as const, message: text, messageId: message.id }];
  });
}

function unpairedCall(message: StoredMessage, call: { id: string; name: string }, last: ReadonlySet<string>): Finding {
  const of = { messageId: message.id, toolCallId: call.id };
  if (last.has(call.id))
    return {
      code: 'unanswered_call',
      message: `The call of ${call.name} has no result.`,
      ...of,
      repair: 'adds an error result that says so; the call is not executed again',
    };
  const text = `The call of ${call.name} has no result. The model is sent an error result in its place with every request.`;
  return { code: 'unpaired_call', message: text, ...of };
}

async function imageFindings(app: Pick<App, 'store'>, session: Session, message: StoredMessage): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { hash, name } of message.images ?? []) {
    const data = await app.store.readImage(session.tenantId, session.id, hash).catch(() => undefined);
    if (data !== undefined) continue;
    const text = `The image ${name ?? hash} is not in the store any more. Clients and the model get the message without it; send it again if it matters.`;
    findings.push({ code: 'missing_image', message: text, messageId: message.id });
  }
  return findings;
}
