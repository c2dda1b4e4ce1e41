import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createWebReach } from '../../plugins/core-tools/web/reach.ts';
import { callOf } from '../helpers/scripted-model.ts';
import { only } from '../helpers/with-app.ts';
import { missingBrowser, withBrowser } from './browser-bench.ts';

const missing = await missingBrowser();
if (missing) console.log(`SKIPPED ${missing}`);
const reach = suite('The address policy of web_fetch holds for everything that a page does');
const test = missing ? reach.skip : reach;

test('private hosts need an approval, which covers the host that was approved', async () => {
  await withBrowser(
    async ({ app, session, site, model }) => {
      model.add({ toolCalls: [callOf('browser_open', { url: `${site.url}/frames` })] });
      await session.send('go');
      const [asked] = only(await session.until('approval.requested'), 'approval.requested');
      assert.is(asked?.approval.reason, `Open in the browser: ${site.url}/frames`);
      assert.equal(site.requests, [], 'nothing happens before');
      await app.call('POST', `${session.path}/approvals/${asked?.approval.id}`, { body: { approved: true } });
      const [finished] = only(
        (await session.stream.until('run.finished', { ms: 15_000 })).map(({ event }) => event),
        'tool.finished',
      );
      const content = finished?.result.content ?? '';
      assert.match(content, /\[Frame http:\/\/127[^\]]*\]\ninner words/, 'the approved host');
      assert.match(content, /\[Refused: localhost is in a private network/, 'a frame of another');
    },
    { browser: { permission: 'ask' }, core: {} },
  );
  await withBrowser(
    async ({ open, site }) => {
      const refused = await open('/');
      assert.is(refused.ok, false);
      assert.match(refused.content, /127\.0\.0\.1 is in a private network .*"allowPrivateHosts" of core-tools/);
      assert.equal(site.requests, []);
    },
    { core: {} },
  );
});

test('redirects, frames, images, scripts and sockets to metadata services and to the service itself get nowhere', async () => {
  await withListener(async ({ port, connections }) => {
    const own = `http://127.0.0.1:${port}`;
    const metadata = 'http://169.254.169.254/latest/meta-data/';
    const options = { browser: { settleMs: 600 }, pages: { '/hostile': () => hostilePage(own) } };
    const neverFetched = /is never fetched|is this service itself/;
    await withBrowser(
      async ({ open, call }) => {
        for (const target of [own, metadata, 'http://[::ffff:169.254.169.254]/', `http://2130706433:${port}/`]) {
          const direct = await call('browser_open', { url: target });
          assert.equal([direct.ok, neverFetched.test(direct.content)], [false, true], target);
          const redirected = await open(`/to?${encodeURIComponent(target)}`);
          assert.equal([redirected.ok, neverFetched.test(redirected.content)], [false, true], `redirect to ${target}`);
        }
        const hostile = await open('/hostile');
        assert.ok(hostile.ok, hostile.content);
        assert.match(hostile.content, /tried: frame image fetch socket beacon worker/);
        assert.match(hostile.content, /Refused: 127\.0\.0\.1:\d+ is this service itself/);
        assert.equal(connections, []);
      },
      { ...options, ownPorts: () => [port] },
    );
    // The page does what it says: where the policy allows the port, it is reached.
    await withBrowser(async ({ open }) => void (await open('/hostile')), options);
    assert.ok(connections.length > 5, `${connections.length} connections`);
  });
});

test('only http and https are opened, and no file of the machine is shown', () =>
  withBrowser(async ({ open, call }) => {
    for (const url of [
      'file:///etc/passwd',
      'chrome://version',
      'javascript:alert(1)',
      'data:text/html,hi',
      'about:blank',
      'ftp://127.0.0.1/',
    ]) {
      const { ok, content } = await call('browser_open', { url });
      assert.is(ok, false, url);
      assert.match(content, /Only http and https are fetched/);
    }
    assert.match((await call('browser_open', { url: 'http://me:secret@127.0.0.1/' })).content, /user name or password/);
    const local = await open('/file-link');
    assert.not.match(local.content, /root:/);
    const clicked = await call('browser_click', { ref: /\[(e\d+)\] link "Passwords"/.exec(local.content)?.[1] ?? '' });
    assert.not.match(clicked.content, /root:/);
  }));

/** A port of this machine that notes who connects. */
async function withListener(use: (listener: { port: number; connections: string[] }) => Promise<void>): Promise<void> {
  const connections: string[] = [];
  const server = createServer((socket) => {
    connections.push(`from ${socket.remotePort}`);
    socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await use({ port: (server.address() as AddressInfo).port, connections });
  } finally {
    server.close();
  }
}

/** Tries every way that a page has to make a request. */
function hostilePage(target: string): string {
  return `<title>Hostile</title><p>tried: frame image fetch socket beacon worker</p>
    <iframe src="${target}/frame"></iframe><img src="${target}/image"><link rel="stylesheet" href="${target}/style">
    <link rel="preconnect" href="${target}"><link rel="prefetch" href="${target}/prefetch"><link rel="dns-prefetch" href="${target}">
    <script src="${target}/script"></script><video src="${target}/video"></video><object data="${target}/object"></object>
    <script>
      fetch('${target}/fetch', { mode: 'no-cors' }).catch(() => {});
      navigator.sendBeacon('${target}/beacon', 'x');
      new WebSocket('${target.replace('http', 'ws')}/socket');
      new EventSource('${target}/events');
      const code = new Blob(["fetch('${target}/worker', {mode: 'no-cors'})"], { type: 'text/javascript' });
      new Worker(URL.createObjectURL(code));
      const peer = new RTCPeerConnection({ iceServers: [{ urls: 'turn:${target.replace('http://', '')}?transport=tcp', username: 'a', credential: 'b' }] });
      peer.createDataChannel('x');
      peer.createOffer().then((offer) => peer.setLocalDescription(offer));
      const form = document.createElement('form');
      form.action = '${target}/form'; form.target = 'frame'; form.method = 'post';
    </script>`;
}

reach(
  'in mode accounts an approval opens no private host; own ports and metadata services are closed in every mode',
  async () => {
    const info = (authMode: 'none' | 'accounts') => ({
      version: '1',
      authMode,
      dataDirectory: '/x',
      ownPorts: () => [7331],
    });
    const approvedUrl = 'http://127.0.0.1:8080/';
    const single = createWebReach({ allowPrivateHosts: [] }, info('none'));
    assert.is((await single.check(approvedUrl, { approvedUrl })).addresses[0]?.address, '127.0.0.1');
    await rejects(single.check('http://10.0.0.1/', { approvedUrl }), /private network/);
    await rejects(single.check('http://127.0.0.1:7331/', { approvedUrl }), /this service itself/);
    await rejects(single.check(approvedUrl, { approvedUrl, ownPorts: [8080] }), /this service itself/);
    const shared = createWebReach({ allowPrivateHosts: [] }, info('accounts'));
    await rejects(shared.check(approvedUrl, { approvedUrl }), /private network/);
    await rejects(shared.check('http://169.254.169.254/', { approvedUrl: 'http://169.254.169.254/' }), /never fetched/);
  },
);

async function rejects(promise: Promise<unknown>, expected: RegExp): Promise<void> {
  const message = await promise.then(
    () => 'it did not reject',
    (error: Error) => error.message,
  );
  assert.match(message, expected);
}

reach.run();
