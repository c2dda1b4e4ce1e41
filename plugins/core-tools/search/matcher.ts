import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Answer, Matching, Question, TextMatch } from './matcher.worker.ts';

export type { Matching, TextMatch } from './matcher.worker.ts';

/**
 * Answers questions about patterns in a thread of its own: a pattern that never ends costs a thread for a moment, not
 * the service.
 */
export interface Matcher {
  /** Which of these paths the glob matches. */
  filterPaths(paths: string[]): Promise<string[]>;
  /** The lines that match in these texts, at most `most`. */
  searchTexts(texts: string[], most: number): Promise<TextMatch[]>;
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
  // One that fails when nobody waits for an answer must not take the service along.
  worker.on('error', () => {});
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
    searchTexts: async (texts, most) => (await ask({ texts, most })).matches ?? [],
    close,
  };
}

/** The next message of the worker; rejects when it takes too long, fails, ends or the signal aborts. */
function nextAnswer(worker: Worker, signal: AbortSignal, ms: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const settle = (fn: () => void): void => {
      clearTimeout(timer);
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      signal.removeEventListener('abort', onAbort);
      fn();
    };
    const onMessage = (answer: Answer): void =>
      settle(() => (answer.problem === undefined ? resolve(answer) : reject(new Error(answer.problem))));
    const onError = (error: unknown): void => settle(() => reject(error));
    const onExit = (): void => settle(() => reject(new Error('The search ended unexpectedly.')));
    const onAbort = (): void => settle(() => reject(signal.reason));
    const tooLong = 'The pattern takes too long to match. Use a simpler one.';
    const timer = setTimeout(() => settle(() => reject(new Error(tooLong))), Math.max(0, ms));
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}
