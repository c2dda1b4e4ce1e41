import { abortable } from '../base/abortable.ts';
import { hideInValue } from '../base/secrets.ts';
import { settledWithin } from '../base/time-limits.ts';
import type { ModelToolCall } from '../models/model.ts';
import { messageEvent } from '../session/wire-message.ts';
import type { Tool } from '../tools/tool.ts';
import { limits } from '../wire/limits.ts';
import type { ToolResult } from '../wire/message.ts';
import type { Run } from './run.ts';
import { sessionView } from './session-view.ts';
import { type StoredOutput, storeToolImages } from './tool-images.ts';
import { readOutput, thrownText } from './tool-output.ts';
import { cutText } from './tool-text.ts';
import { interruptedText } from './unanswered.ts';

/** How long the end of a cancelled run waits for its tool. */
const stopGraceMs = 500;

/** Characters of what a tool tells people in a line. */
const longestLine = { describe: 10_000, notify: 2_000 };

/** Characters of JSON up to which `data` is kept with the message, so that a client that reloads still has it. */
const keptDataChars = 32_768;

/**
 * One tool call: find, validate, ask, execute, record. Every failure becomes a result; only a stop of the run rejects,
 * after the call got its result. The result is stored in the background: everything the run stores later, and so every
 * later tool, waits behind it (contract: Approval lifecycle).
 */
export async function executeTool(run: Run, call: ModelToolCall): Promise<void> {
  const { clock } = run.around;
  if (run.checkpoint) await abortable(run.checkpoint(), run.signal);
  run.signal.throwIfAborted();
  const { id, name, arguments: args } = call;
  run.enter('tool', { tool: name });
  run.publish({ type: 'tool.started', sessionId: run.session.id, call: { id, name, arguments: args } });
  const started = clock.monotonic();
  const output = await outcomeOf(run, call);
  recordResult(run, call, { output, durationMs: Math.round(clock.monotonic() - started) });
  run.signal.throwIfAborted();
}

/** Records a result for a call that is not executed, for instance because the run was cancelled before it. */
export function recordSkipped(run: Run, call: ModelToolCall, content: string): void {
  const { id, name, arguments: args } = call;
  run.publish({ type: 'tool.started', sessionId: run.session.id, call: { id, name, arguments: args } });
  recordResult(run, call, { output: { content, isError: true }, durationMs: 0 });
}

async function outcomeOf(run: Run, call: ModelToolCall): Promise<StoredOutput> {
  try {
    const tool = run.limits.toolNames?.has(call.name) === false ? undefined : run.around.tools.get(call.name);
    if (!tool) return failure(`There is no tool "${call.name}". ${available(run)}`);
    const problem = call.problem ?? (await run.around.validateArguments(tool, call.arguments));
    if (problem !== undefined) return failure(`The arguments of ${call.name} are not valid: ${problem}`);
    const permission = await askIfNeeded(run, tool, call);
    if ('refusal' in permission) return failure(permission.refusal);
    const { approved, note } = permission;
    const output = await execute(run, tool, { call, approved });
    return note ? { ...output, content: `${output.content}\n\n[Note of the person who approved: ${note}]` } : output;
  } catch (error) {
    if (run.signal.aborted)
      return failure(run.stopReason === 'stopped' ? interruptedText : 'Cancelled before it finished.');
    run.around.log.debug('A tool threw.', { sessionId: run.session.id, tool: call.name, error });
    return failure(thrownText(error));
  }
}

/** Whether a call may be executed, and whether a person said so; `refusal` is what the model is told instead. */
type Permission = { approved: boolean; note?: string } | { refusal: string };

async function askIfNeeded(run: Run, tool: Tool, call: ModelToolCall): Promise<Permission> {
  const { record } = run.session;
  const permission = tool.permissionFor?.(call.arguments, sessionView(record)) ?? tool.permission ?? 'auto';
  if (permission === 'auto') return { approved: false };
  const { id, name, arguments: args } = call;
  const described: unknown = tool.describe?.(args, sessionView(record));
  const reason =
    typeof described === 'string' ? cutText(described, longestLine.describe) : `The tool ${name} needs approval.`;
  const { approved, note, by } = await run.around.approvals.request(run, { id, name, arguments: args }, reason);
  if (approved) return { approved, ...(note === undefined ? {} : { note }) };
  if (by === 'timeout') return { refusal: 'Declined: nobody decided in time.' };
  if (by === 'stop' && run.stopReason === 'stopped')
    return { refusal: 'Not executed: the service stopped while this call waited for approval.' };
  if (by === 'stop') return { refusal: 'Cancelled while it waited for approval.' };
  return { refusal: note ? `Declined by the person, who noted: ${note}` : 'Declined by the person.' };
}

async function execute(
  run: Run,
  tool: Tool,
  { call, approved }: { call: ModelToolCall; approved: boolean },
): Promise<StoredOutput> {
  run.signal.throwIfAborted();
  const { session, signal } = run;
  const workspace = await run.openWorkspace();
  // Behind its end nothing of a run begins, and a tool that does not look at its signal would.
  signal.throwIfAborted();
  const running = tool.execute(call.arguments, {
    session: sessionView(session.record),
    callId: call.id,
    workspace,
    signal,
    approved,
    notify: (message) => run.notice('info', cutText(String(message), longestLine.notify)),
  });
  const ended = Promise.resolve(running);
  const returned = await abortable(ended, signal).catch(async (error: unknown) => {
    // A moment to end what it started, so that nothing of a run goes on after its end; one that does not listen gets no more.
    if (run.stopReason === 'cancelled') await settledWithin(run.around.clock, stopGraceMs, ended);
    throw error;
  });
  return storeToolImages(run, readOutput(call.name, returned));
}

function recordResult(
  run: Run,
  call: ModelToolCall,
  { output, durationMs }: { output: StoredOutput; durationMs: number },
): void {
  const { session, around } = run;
  if (run.stopReason === 'void') return;
  const ok = output.isError !== true;
  // Before the cut, which could leave half a secret.
  const content = cutText(around.hideSecrets(output.content), limits.toolOutputChars);
  const data = output.data === undefined ? undefined : hideInValue(output.data, around.hideSecrets);
  const result: ToolResult = { callId: call.id, name: call.name, ok, content, durationMs };
  if (!ok) result.error = content.slice(0, 500);
  if (data !== undefined) result.data = data;
  const message = run.newMessage('tool', {
    content,
    toolCallId: call.id,
    toolName: call.name,
    isError: !ok,
    meta: { durationMs, ...keptData(data) },
  });
  if (output.refs && output.refs.length > 0) message.images = output.refs;
  const stored = session.commit({ kind: 'appended', messages: [message], fields: {} }, () => [
    { type: 'tool.finished', sessionId: session.id, result },
    messageEvent('message.started', { store: around.store, session, message }),
    messageEvent('message.completed', { store: around.store, session, message }),
  ]);
  // The next thing the run stores waits behind this and reports its failure.
  stored.catch(() => undefined);
}

function keptData(data: unknown): { data?: unknown } {
  if (data === undefined) return {};
  return JSON.stringify(data).length <= keptDataChars ? { data } : {};
}

function available(run: Run): string {
  const names = run.around.tools
    .schemas()
    .map((tool) => tool.name)
    .filter((name) => run.limits.toolNames?.has(name) ?? true);
  return names.length === 0 ? 'There are no tools.' : `There are: ${names.join(', ')}.`;
}

function failure(content: string): StoredOutput {
  return { content, isError: true };
}
