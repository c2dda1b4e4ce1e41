import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Answer, Matching, Question, TextMatch } from './matcher.worker.ts';

export type { Matching, TextMatch } from './matcher.worker.ts';

/** Answers questions about patterns in a thread of its own: a pattern that never ends costs a thread for a moment, not the service. */
export interface Matcher {
  /** Which of these paths the glob matches. */
  filterPaths(paths: string[]): Promise<string[]>;
  /** The places in a text, at most `most`. */
  searchText(text: string, most: number): Promise<TextMatch[]>;
  close(): Promise<void>;
}

/** No single question takes longer, and all questions of one call not longer than `totalMs`. */
const questionMs = 1_500;
const totalMs = 15_000;
/** A new thread needs a moment before the clock of its first question may run. */
const startMs = 5_000;

/** Rejects when a pattern is no pattern. `directory` is the plugin's, in the build. */
export async function startMatcher(directory: string, matching: Matching, signal: AbortSignal): Promise<Matcher> {
  const worker = new Worker(join(directory, 'search', 'matcher.worker.js'), {
    workerData: matching,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  const spent = { ms: 0 };
  const close = async (): Promise<void> => {
    await worker.terminate();
  };
  const ask = async (question: Question): Promise<Answer> => {
    const left = Math.min(questionMs, totalMs - spent.ms);
    const asked = performance.now();
    worker.postMessage(question);
    try {
      return await nextAnswer(worker, signal, left);
    } catch (error) {
      await close();
      throw error;
    } finally {
      spent.ms += performance.now() - asked;
    }
  };
  try {
    await nextAnswer(worker, signal, startMs);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    filterPaths: async (paths) => (await ask({ paths })).paths ?? [],
    searchText: async (text, most) => (await ask({ text, most })).matches ?? [],
    close,
  };
}

/** The next message of the worker; rejects when it takes too long, fails, ends or the signal aborts. */
function nextAnswer(worker: Worker, signal: AbortSignal, ms: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const settle = (fn: () => void) => {
      clearTimeout(timer);
      worker.removeAllListeners();
      // A worker that fails later than anybody listens must not fail the service.
      worker.on('error', () => {});
      signal.removeEventListener('abort', onAbort);
      fn();
    };
    const onAbort = () => settle(() => reject(signal.reason));
    const timer = setTimeout(
      () => settle(() => reject(new Error('The pattern takes too long to match. Use a simpler one.'))),
      Math.max(0, ms),
    );
    worker.once('message', (answer: Answer) =>
      settle(() => (answer.problem === undefined ? resolve(answer) : reject(new Error(answer.problem)))),
    );
    worker.once('error', (error) => settle(() => reject(error)));
    worker.once('exit', () => settle(() => reject(new Error('The search ended unexpectedly.'))));
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}
