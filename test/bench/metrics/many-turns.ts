import { turn } from '../bench-client.ts';
import type { Metric } from '../metric.ts';
import { median } from '../stats.ts';
import { settled } from '../target.ts';

const [streams, deltas] = [32, 500];

/** 32 sessions with a subscriber each: all at full speed, then all at 100 deltas a second. */
export const manyTurns: Metric = {
  rows: [
    { id: 'many', label: '32 turns of 500 at once', unit: 'deltas/s', good: 'high', must: 0.8, stretch: 1.3 },
    { id: 'paced', label: '32 paced streams, CPU per delta', unit: 'us', good: 'low', must: 1.3, stretch: 0.9 },
    { id: 'pacedLoop', label: '- of it on the event loop', unit: 'us', good: 'low' },
    { id: 'pacedFirst', label: '- in the first two seconds, most code not compiled yet', unit: 'us', good: 'low' },
  ],
  longestMs: 120_000,
  async measure({ running, scale }) {
    const { client } = running;
    const open = async () => {
      const sessionId = await client.createSession();
      return { sessionId, listener: await client.listen(sessionId) };
    };
    const sessions = await Promise.all(Array.from({ length: streams }, open));
    const all = (content: string) => Promise.all(sessions.map((session) => turn(client, { ...session, content })));

    const rates: number[] = [];
    for (let at = 0; at < scale.pick(4, 3); at++) {
      const before = performance.now();
      await all(`stream ${deltas}`);
      rates.push((streams * deltas * 1000) / (performance.now() - before));
    }

    const paced = async (count: number) => {
      // What the turns before have left to do is theirs.
      await settled(running);
      const [before, loopBefore] = [running.cpuMs(), running.loopCpuMs()];
      await all(`paced ${count} 10`);
      const perDelta = (ms: number) => (ms * 1000) / (streams * count);
      return { all: perDelta(running.cpuMs() - before), loop: perDelta(running.loopCpuMs() - loopBefore) };
    };
    const first = await paced(scale.pick(200, 100));
    // V8 compiles for seconds at this pace, whatever the server; what streams for hours is worth is seen behind that.
    await paced(scale.pick(600, 50));
    const steady = await paced(scale.pick(600, 50));
    for (const { listener } of sessions) listener.close();
    return { many: median(rates), paced: steady.all, pacedLoop: steady.loop, pacedFirst: first.all };
  },
};
