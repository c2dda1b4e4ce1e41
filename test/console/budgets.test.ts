import { readFileSync, statSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { within3 } from './calibrate.ts';
import { type ConsoleBench, hasBrowser, holds, openSession, send, startBench, withPage } from './console-bench.ts';
import { longTranscripts } from './long-transcripts.ts';

const sizes = suite('The console: weight');
const costs = suite('The console: what it costs to start, to keep open and to leave');

const kilobytes = (files: Iterable<string>) =>
  [...files].reduce((sum, file) => sum + gzipSync(readFileSync(file), { level: 9 }).length, 0) / 1024;

interface Meta {
  outputs: Record<string, { imports: { path: string; kind: string }[] }>;
}

function figure(name: string, value: number, most: number, unit: string): void {
  console.log(`\nFIGURE ${name}: ${value.toFixed(1)} ${unit} (at most ${most})`);
  assert.ok(value <= most, `${name}: ${value.toFixed(1)} ${unit}, ${most} are allowed`);
}

/** An output with everything that it imports at once. */
function withImports(meta: Meta, file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const { path, kind } of meta.outputs[file]?.imports ?? [])
    if (kind === 'import-statement') withImports(meta, path, seen);
  return seen;
}

sizes('first load and everything stay within their budgets', () => {
  const meta: Meta = JSON.parse(readFileSync('dist/public-meta.json', 'utf8'));
  const scripts = Object.keys(meta.outputs).filter((file) => file.endsWith('.js'));
  figure('JavaScript of the first load', kilobytes(withImports(meta, 'dist/public/app.js')), 75, 'KB gz');
  figure('all JavaScript', kilobytes(scripts), 140, 'KB gz');
  figure('styles', kilobytes(['dist/public/app.css']), 14, 'KB gz');
  figure('index.html', statSync('dist/public/index.html').size / 1024, 6, 'KB');
});

let bench: ConsoleBench;
costs.before(async () => {
  bench = await startBench();
});
costs.after(() => bench.close());

costs('a cold load paints and is ready to be typed into, on a slow processor too', async () => {
  await withPage(bench, async (page, context) => {
    const devtools = await context.newCDPSession(page);
    await devtools.send('Network.setCacheDisabled', { cacheDisabled: true });
    await page.addInitScript(`new MutationObserver((_, self) => {
      if (!document.querySelector('.composer textarea')) return;
      self.disconnect();
      performance.mark('usable');
    }).observe(document, { childList: true, subtree: true })`);
    let painted = 0;
    const usable = async (): Promise<number> => {
      await page.reload();
      await page.locator('.composer textarea').waitFor();
      await holds(page, `performance.getEntriesByName('first-contentful-paint').length > 0`);
      painted = Number(await page.evaluate(`performance.getEntriesByName('first-contentful-paint')[0].startTime`));
      return Number(await page.evaluate(`performance.getEntriesByName('usable')[0].startTime`));
    };
    await within3(page, { name: 'composer usable', most: 600, unit: 'ms' }, usable);
    await within3(page, { name: 'first paint', most: 300, unit: 'ms' }, async () => {
      await usable();
      return painted;
    });
    await within3(page, { name: 'composer usable, processor four times slower', most: 1_800, unit: 'ms' }, async () => {
      await devtools.send('Emulation.setCPUThrottlingRate', { rate: 4 });
      const value = await usable();
      await devtools.send('Emulation.setCPUThrottlingRate', { rate: 1 });
      return value;
    });
  });
});

costs('a tab in which nothing happens does next to nothing: no fast timers, no frames, no work', async () => {
  const id = await bench.newSession('Idle');
  await withPage(bench, async (page, context) => {
    await page.addInitScript(`(() => {
      window.asked = [];
      for (const name of ['setTimeout', 'setInterval', 'requestAnimationFrame']) {
        const original = window[name];
        window[name] = (...args) => {
          const delay = name === 'requestAnimationFrame' ? 0 : Number(args[1] ?? 0);
          if (delay < 1000) window.asked.push(name + ' ' + delay);
          return original(...args);
        };
      }
    })()`);
    await page.reload();
    await openSession(page, id);
    await page.locator('.pill.ok').waitFor();
    await send(page, 'one answer, then nothing');
    await page.locator('.assistant:not(.live)').waitFor();
    await page.locator('.run-note', { hasText: 'tokens in this run' }).waitFor();
    const devtools = await context.newCDPSession(page);
    await devtools.send('Performance.enable');
    const busy = async () => {
      const { metrics } = await devtools.send('Performance.getMetrics');
      return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
    };
    await within3(page, { name: 'processor of an idle tab', most: 1, unit: '%' }, async () => {
      await page.evaluate('window.asked = []');
      const before = await busy();
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      const share = ((await busy()) - before) / 3;
      assert.equal(await page.evaluate('window.asked'), []);
      return share * 100;
    });
  });
});

costs('twenty sessions that were opened and left are not kept in memory', async () => {
  const ids: string[] = [];
  for (let at = 0; at < 21; at++) ids.push(await bench.newSession(`Switch ${at}`));
  await withPage(
    bench,
    async (page, context) => {
      await longTranscripts(page, 300);
      const devtools = await context.newCDPSession(page);
      const heap = async () => {
        await devtools.send('HeapProfiler.collectGarbage');
        const { usedSize } = await devtools.send('Runtime.getHeapUsage');
        return usedSize / 1_048_576;
      };
      const visit = async (id: string, at: number) => {
        await openSession(page, id);
        await holds(
          page,
          `document.querySelector('h1')?.textContent === 'Switch ${at}' && document.querySelectorAll('.message').length === 300`,
        );
      };
      await visit(ids[0] ?? '', 0);
      const before = await heap();
      for (const [at, id] of ids.entries()) if (at > 0) await visit(id, at);
      await page.evaluate(`location.hash = '#/'`);
      await page.locator('.setup').waitFor();
      figure('heap after opening and leaving 20 sessions', (await heap()) - before, 15, 'MB more');
    },
    { ms: 90_000 },
  );
});

sizes.run();
if (hasBrowser()) costs.run();
