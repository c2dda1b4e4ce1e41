import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { within } from '../../helpers/within.ts';
import type { Metric } from '../metric.ts';
import type { Running } from '../target.ts';

const writers = 8;
const answerEnd = 'word0004';

/**
 * SIGKILL while messages are accepted and answered; then everything that was promised must be there. A sample:
 * `npm run torture` kills as often as one likes and at chosen moments.
 */
export const kills: Metric = {
  rows: [
    { id: 'kills', label: 'SIGKILL cycles (npm run torture has thousands)', unit: '', good: 'high' },
    { id: 'promised', label: '- sessions, messages and replies acknowledged', unit: '', good: 'high' },
    { id: 'lost', label: '- of them lost', unit: '', good: 'low', must: 0, of: 'value' },
    { id: 'lostSql', label: '- of them lost by SQL', unit: '', good: 'low', must: 0, of: 'value', subject: 'sql' },
  ],
  needsMemory: true,
  async measure({ target, directory, scale }) {
    const home = join(directory, 'kills');
    const cycles = scale.pick(10, 3);
    /** What each session was promised to contain. */
    const promised = new Map<string, Set<string>>();
    let running = await target.start(home);
    for (let cycle = 0; cycle < cycles; cycle++) {
      const ends = Array.from({ length: writers }, (_, at) => write(running, { promised, name: `c${cycle}w${at}` }));
      await sleep(150 + Math.random() * 250);
      await running.kill();
      await within(10_000, Promise.all(ends), 'the writers to notice that the server is gone');
      running = await target.start(home);
    }
    let lost = 0;
    for (const [sessionId, texts] of promised) lost += await missing(running, sessionId, texts);
    await running.stop();
    const count = [...promised.values()].reduce((sum, texts) => sum + 1 + texts.size, 0);
    return { kills: cycles, promised: count, lost, ...(target.name === 'sql' && { lostSql: lost }) };
  },
};

/** Talks in new sessions until the server is gone. */
async function write(
  { client }: Running,
  { promised, name }: { promised: Map<string, Set<string>>; name: string },
): Promise<void> {
  try {
    for (let at = 0; ; at++) {
      const sessionId = await client.createSession();
      const texts = new Set<string>();
      promised.set(sessionId, texts);
      const listener = await client.listen(sessionId);
      const content = `stream 5 ${name}m${at}`;
      const finished = listener.finished();
      finished.catch(() => {});
      await client.send(sessionId, content);
      texts.add(content);
      await Promise.race([finished, listener.closed]);
      if (listener.isClosed()) return;
      texts.add(answerEnd);
      listener.close();
    }
  } catch {
    // The server was killed: nothing more is promised.
  }
}

async function missing({ client }: Running, sessionId: string, texts: Set<string>): Promise<number> {
  const { status, text } = await client.request('GET', client.dialect.transcriptPath(sessionId));
  if (status !== 200) return 1 + texts.size;
  return [...texts].filter((each) => !text.includes(each)).length;
}
