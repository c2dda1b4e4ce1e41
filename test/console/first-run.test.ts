import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ConsoleBench, hasBrowser, openSession, send, startBench, withPage } from './console-bench.ts';

const test = suite('The console: first run');
const benches: ConsoleBench[] = [];

test.after(async () => {
  for (const bench of benches) await bench.close();
});

async function start(options: Parameters<typeof startBench>[0]): Promise<ConsoleBench> {
  const bench = await startBench(options);
  benches.push(bench);
  return bench;
}

test('without a model the first screen names what to set; checkpoints that are off say why', async () => {
  const bench = await start({ provider: null });
  const id = await bench.newSession('Nothing to run it');
  await withPage(bench, async (page) => {
    await page.getByRole('heading', { name: 'No model is registered' }).waitFor();
    assert.match(await page.locator('main').innerText(), /OPENAI_API_KEY[\s\S]*plugins\.config/);
    assert.is(await page.locator('.composer').count(), 0);
    await openSession(page, id);
    await page.getByRole('link', { name: 'Checkpoints' }).click();
    await page.getByText(/Checkpoints are off/).waitFor();
    const { reason } = await bench.service.client.listCheckpoints(id);
    if (reason) await page.getByText(reason).waitFor();
  });
});

test('with the demo model, which needs no key, a message gets an answer', async () => {
  const bench = await start({ settings: { plugins: { config: { 'demo-model': { enabled: true, delayMs: 0 } } } } });
  await withPage(bench, async (page) => {
    await page.locator('.composer .picker select').first().selectOption('demo');
    await send(page, 'say hello from the demo');
    await page.locator('.assistant:not(.live)', { hasText: 'hello from the demo' }).waitFor();
    await page.getByRole('link', { name: 'New session' }).click();
    await page.getByText('Use it from a shell').click();
    assert.match(await page.locator('.by-hand pre').innerText(), /curl -sN .*events\?lastEventId=0/);
  });
});

if (hasBrowser()) test.run();
else suite('The console: first run, skipped').run();
