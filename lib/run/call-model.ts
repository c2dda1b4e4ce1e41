import type { Completion, ModelToolCall } from '../models/model.ts';
import { messageEvent } from '../session/wire-message.ts';
import type { SessionEvent } from '../wire/event.ts';
import type { StoredMessage } from '../wire/message.ts';
import type { Usage } from '../wire/usage.ts';
import { askModel } from './ask-model.ts';
import { DeltaWriter } from './delta-writer.ts';
import { buildRequest } from './model-request.ts';
import type { Run } from './run.ts';
import { withRetries } from './with-retries.ts';

/**
 * One model call with its retries: streams the reply and stores it. A reply with tool calls is durable when this resolves, so
 * that no tool starts before its intent is on disk; the last reply is stored with the end of the run (contract:
 * Model-call behaviour). Rejects when the call is final or the run was stopped; what had been streamed by then is kept
 * as a partial message.
 */
export async function callModel(run: Run): Promise<{ toolCalls: ModelToolCall[] }> {
  const { model } = run;
  const message = run.newMessage('assistant', { content: '', model: model.info.id });
  const writer = new DeltaWriter(run, message);
  const request = await buildRequest(run);
  let completion: Completion;
  run.enter('waiting');
  run.streaming = () => writer.published();
  try {
    const hasStreamed = () => writer.text !== '' || writer.reasoning !== '';
    completion = await withRetries(run, hasStreamed, () =>
      askModel(run, request, (channel, delta) => writer.write(channel, delta)),
    );
  } catch (error) {
    writer.close();
    await keepPartial(run, writer, message);
    run.streaming = undefined;
    throw error;
  }
  writer.close();
  return await storeReply(run, { completion, message, writer }).finally(() => {
    run.streaming = undefined;
  });
}

async function storeReply(
  run: Run,
  reply: { completion: Completion; message: StoredMessage; writer: DeltaWriter },
): Promise<{ toolCalls: ModelToolCall[] }> {
  const { completion, message, writer } = reply;
  const { finishReason, content, reasoning, meta } = completion;
  const refused = finishReason === 'content_filter' || finishReason === 'error';
  const toolCalls = refused ? [] : run.withUniqueIds(completion.toolCalls);
  const stored: StoredMessage = { ...message, content };
  if (reasoning !== undefined && reasoning !== '') stored.reasoning = reasoning;
  if (toolCalls.length > 0)
    stored.toolCalls = toolCalls.map(({ id, name, arguments: args }) => ({ id, name, arguments: args }));
  if (meta) stored.meta = meta;
  const usage = run.countUsage(completion.usage);
  if (toolCalls.length === 0 && finishReason !== 'error') await keepForTheEnd(run, { message: stored, usage, writer });
  // A reply that said nothing before its calls is told of together with them: one write to each subscriber less.
  else await append(run, { message: stored, usage, before: writer.started ? [] : [writer.opening()] });
  if (finishReason === 'error') throw new Error('The model ended its reply with an error.');
  if (finishReason === 'length') run.notice('warn', 'The reply was cut off at the maximum number of tokens.');
  if (finishReason === 'content_filter')
    run.notice('warn', 'The model declined to go on with this reply (content filter).');
  return { toolCalls };
}

/** The last reply and the end of the run become one record: one sync less, and never a reply without its end. */
async function keepForTheEnd(
  run: Run,
  { message, usage, writer }: { message: StoredMessage; usage: Usage; writer: DeltaWriter },
): Promise<void> {
  writer.start();
  await run.accepted;
  run.lastReply = { message, usage };
}

async function keepPartial(run: Run, writer: DeltaWriter, message: StoredMessage): Promise<void> {
  const { text, reasoning } = writer;
  if (run.stopReason === 'void' || (text === '' && reasoning === '')) return;
  const partial: StoredMessage = { ...message, content: text, meta: { partial: true } };
  if (reasoning !== '') partial.reasoning = reasoning;
  await append(run, { message: partial, usage: run.session.record.usage, before: [] });
}

async function append(
  run: Run,
  { message, usage, before }: { message: StoredMessage; usage: Usage; before: SessionEvent[] },
): Promise<void> {
  await run.accepted;
  const { session, around } = run;
  await session.commit({ kind: 'appended', messages: [message], fields: { usage } }, () => [
    ...before,
    messageEvent('message.completed', { store: around.store, session, message }),
  ]);
}
