import { startSilence } from '../base/silence.ts';
import { checkCompletion } from '../models/check-completion.ts';
import { type Completion, type ModelIo, type ModelRequest, ProviderError } from '../models/model.ts';
import type { Run } from './run.ts';

/** The longest time without a delta, unless the model names its own: what thinks in silence is not cut off. */
const usualSilenceMs = 900_000;

/**
 * One call of the run's model, which resolves with what is a completion. Rejects as the model does, with a final ProviderError
 * when it says nothing any more (`Model.silenceMs`): its signal aborts then, but a call that ignores it may still be going on.
 */
export async function askModel(run: Run, request: ModelRequest, onDelta: ModelIo['onDelta']): Promise<Completion> {
  const { id } = run.model.info;
  const { silenceMs = usualSilenceMs } = run.model;
  const ask = (io: ModelIo) => run.model.complete(request, io);
  const reply =
    silenceMs > 0 ? await whileHeard(run, silenceMs, { ask, onDelta }) : await ask({ signal: run.signal, onDelta });
  return checkCompletion(id, reply);
}

async function whileHeard(
  { around: { clock }, model, signal }: Run,
  silenceMs: number,
  { ask, onDelta }: { ask: (io: ModelIo) => Promise<Completion>; onDelta: ModelIo['onDelta'] },
): Promise<Completion> {
  const call = new AbortController();
  let give = (_: Error): void => {};
  const silent = new Promise<never>((_, reject) => {
    give = reject;
  });
  const silence = startSilence(clock, silenceMs, () => {
    const late = new ProviderError(`The model "${model.info.id}" gave no sign of life for ${silenceMs / 1000} s.`);
    call.abort(late);
    give(late);
  });
  const stop = (): void => {
    silence.stop();
    call.abort(signal.reason);
  };
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    const io: ModelIo = {
      signal: call.signal,
      onDelta(channel, delta) {
        silence.heard();
        onDelta(channel, delta);
      },
    };
    return await Promise.race([ask(io), silent]);
  } finally {
    silence.stop();
    signal.removeEventListener('abort', stop);
  }
}
