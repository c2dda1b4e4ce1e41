import { turn } from './bench-client.ts';
import type { Running } from './target.ts';

/** How late the loop of a probed process is while `runs` sessions stream 20 deltas a second and `meanwhile` goes on. */
export async function underLoad(
  running: Running,
  { runs, meanwhile }: { runs: number; meanwhile: (at: number) => Promise<void> },
): Promise<{ p99Ms: number; maxMs: number }> {
  const { client } = running;
  const open = async () => {
    const sessionId = await client.createSession();
    return { sessionId, listener: await client.listen(sessionId), content: 'paced 60 50' };
  };
  const sessions = await Promise.all(Array.from({ length: runs }, open));
  await running.loopDelay();
  let over = false;
  const all = Promise.all(sessions.map((session) => turn(client, session))).finally(() => {
    over = true;
  });
  for (let at = 0; !over; at++) await Promise.race([meanwhile(at), all]);
  await all;
  const delay = await running.loopDelay();
  for (const { listener } of sessions) listener.close();
  return delay;
}
