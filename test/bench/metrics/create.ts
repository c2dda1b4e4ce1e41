import type { Metric } from '../metric.ts';

export const create: Metric = {
  rows: [
    { id: 'create1', label: 'create session, one at a time', unit: '/s', good: 'high', must: 0.4, stretch: 0.7 },
    { id: 'create32', label: 'create session, 32 at once', unit: '/s', good: 'high', must: 0.4, stretch: 0.7 },
  ],
  async measure({ running: { client }, scale }) {
    const alone = scale.pick(200, 100);
    let before = performance.now();
    for (let at = 0; at < alone; at++) await client.createSession();
    const create1 = (alone / (performance.now() - before)) * 1000;

    const each = scale.pick(16, 8);
    before = performance.now();
    const worker = async () => {
      for (let at = 0; at < each; at++) await client.createSession();
    };
    await Promise.all(Array.from({ length: 32 }, worker));
    return { create1, create32: ((32 * each) / (performance.now() - before)) * 1000 };
  },
};
