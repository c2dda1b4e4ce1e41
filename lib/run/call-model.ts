import { type Completion, isProviderError, type ModelToolCall } from '../models/model.ts';
import { messageEvent } from '../session/wire-message.ts';
import type { StoredMessage } from '../wire/message.ts';
import type { Usage } from '../wire/usage.ts';
import { abortable } from './abortable.ts';
import { DeltaWriter } from './delta-writer.ts';
import { buildRequest } from './model-request.ts';
import { retryDelay } from './retry.ts';
import type { Run } from './run.ts';
import { sleep } from './sleep.ts';

/**
 * One model call with its retries: streams the reply and stores it. A reply with tool calls is durable when this resolves, so
 * that no tool starts before its intent is on disk; the last reply is stored with the end of the run (contract: Model-call behaviour). Rejects when the call is final or the run was stopped;
 * what had been streamed by then is kept as a partial message.
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
    completion = await withRetries(run, writer, () =>
      model.complete(request, { signal: run.signal, onDelta: (channel, delta) => writer.write(channel, delta) }),
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

async function withRetries(run: Run, writer: DeltaWriter, attempt: () => Promise<Completion>): Promise<Completion> {
  const { clock, config } = run.around;
  const policy = config.agent.retry;
  for (let number = 1; ; number++) {
    try {
      return await abortable(attempt(), run.signal);
    } catch (error) {
      run.signal.throwIfAborted();
      const streamed = writer.text !== '' || writer.reasoning !== '';
      if (streamed || !isProviderError(error)) throw error;
      const delay = retryDelay(policy, { attempt: number, error, random: Math.random() });
      if (delay === undefined) throw error;
      run.notice(
        'warn',
        `${error.message} Trying again in ${(delay / 1000).toFixed(1)} s (attempt ${number + 1} of ${policy.attempts}).`,
      );
      await sleep(clock, delay, run.signal);
    }
  }
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
  writer.start();
  const usage = run.countUsage(completion.usage);
  if (toolCalls.length === 0 && finishReason !== 'error') await keepForTheEnd(run, stored, usage);
  else await append(run, stored, usage);
  if (finishReason === 'error') throw new Error('The model ended its reply with an error.');
  if (finishReason === 'length') run.notice('warn', 'The reply was cut off at the maximum number of tokens.');
  if (finishReason === 'content_filter')
    run.notice('warn', 'The model declined to go on with this reply (content filter).');
  return { toolCalls };
}

/** The last reply and the end of the run become one record: one sync less, and never a reply without its end. */
async function keepForTheEnd(run: Run, message: StoredMessage, usage: Usage): Promise<void> {
  await run.accepted;
  run.lastReply = { message, usage };
}

async function keepPartial(run: Run, writer: DeltaWriter, message: StoredMessage): Promise<void> {
  const { text, reasoning } = writer;
  if (run.stopReason === 'void' || (text === '' && reasoning === '')) return;
  const partial: StoredMessage = { ...message, content: text, meta: { partial: true } };
  if (reasoning !== '') partial.reasoning = reasoning;
  await append(run, partial, run.session.record.usage);
}

async function append(run: Run, message: StoredMessage, usage: Usage): Promise<void> {
  await run.accepted;
  const { session, around } = run;
  await session.commit({ kind: 'appended', messages: [message], fields: { usage } }, () => [
    messageEvent('message.completed', { store: around.store, session, message }),
  ]);
}
