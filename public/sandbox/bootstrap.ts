import { type KeyboardLock, lockKeyboard } from './keyboard-lock.ts';
import type { FrameContext, FromFrame, Init, Match, Theme, ToFrame } from './protocol.ts';
import { getterOf } from './untampered.ts';

/**
 * Runs inside the sandbox document, before and beside the bundle. The bundle shares its realm: the console trusts nothing it says, but
 * one thing: who has come in by pointer. Hence the bundle must never get hold of the port.
 */
interface Registered {
  id: string;
  slot: string;
  order?: number;
  match?: Match;
  mount(element: HTMLElement, context: object): unknown;
}

interface Line {
  port: MessagePort;
  keyboard: KeyboardLock;
  post(message: FromFrame): void;
}

interface Waiting {
  resolve(body: unknown): void;
  reject(error: Error): void;
}

start();

function start(): void {
  if (parent === window) return;
  const toParent = parent.postMessage.bind(parent);
  for (const name of ['pushState', 'replaceState', 'back', 'forward', 'go'])
    Object.defineProperty(History.prototype, name, { value: undefined });
  // Both would take the listeners below away.
  for (const name of ['open', 'write', 'writeln'])
    Object.defineProperty(Document.prototype, name, { value: undefined });
  // In a listener, and in what it calls, this is the way from an event to the port that it came on.
  Object.defineProperty(window, 'event', { value: undefined, configurable: false });
  const early: FromFrame[] = [];
  let post = (message: FromFrame): void => void early.push(message);
  addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
    post({ t: 'violation', kind: effectiveDirective, detail: blockedURI.slice(0, 200) }),
  );
  addEventListener('error', ({ message }) => post({ t: 'fail', stage: 'run', message: message.slice(0, 500) }));
  addEventListener('unhandledrejection', ({ reason }) => post({ t: 'fail', stage: 'run', message: textOf(reason) }));
  // A fragment lengthens the history that it shares with the console.
  addEventListener('hashchange', () => post({ t: 'violation', kind: 'navigation', detail: '' }));
  const keyboard = lockKeyboard((turn) => post({ t: 'focus', turn }));
  for (const kind of ['pointerdown', 'keydown'])
    addEventListener(kind, ({ isTrusted }) => isTrusted && post({ t: 'input', pointer: kind === 'pointerdown' }), true);
  addEventListener('message', function once({ source, data, ports }: MessageEvent<Init>) {
    const [port] = ports;
    if (source !== parent || data?.t !== 'init' || !port) return;
    removeEventListener('message', once);
    post = port.postMessage.bind(port);
    for (const message of early) post(message);
    void run(data, { port, keyboard, post: (message) => post(message) });
  });
  toParent({ t: 'hello', v: 1 }, '*');
}

async function run(init: Init, { port, keyboard, post }: Line): Promise<void> {
  const dataOf = getterOf(MessageEvent.prototype, 'data');
  const waiting = new Map<number, Waiting>();
  let cleanup: unknown;
  let ended = false;
  const clean = (): void => {
    const once = cleanup;
    ended = true;
    cleanup = undefined;
    if (typeof once === 'function') once();
  };
  // The console may take the frame's place away at any time: that is an end too.
  addEventListener('pagehide', clean);
  port.onmessage = (event) => {
    const data: ToFrame = dataOf(event);
    if (data.t === 'res') settle(waiting, data);
    else if (data.t === 'theme') applyTheme(data.theme);
    else if (data.t === 'ping') post({ t: 'pong', n: data.n });
    else if (data.t === 'keyboard') keyboard.open(data.turn);
    else {
      try {
        clean();
      } finally {
        post({ t: 'disposed' });
      }
    }
  };
  applyTheme(init.theme);
  const context = contextOf(init, waiting, post);
  const registered: Registered[] = [];
  let stage = 'load';
  try {
    const { default: activate } = await import(init.entry);
    stage = 'activate';
    if (typeof activate !== 'function') throw new Error('The module has no default export that is a function.');
    await activate(Object.freeze({ context, register: (extension: Registered) => void registered.push(extension) }));
    if (init.mode === 'discover') {
      const extensions = registered.map(({ id, slot, order = 100, match = {} }) => ({ id, slot, order, match }));
      return post({ t: 'discovered', extensions: JSON.parse(JSON.stringify(extensions)) });
    }
    stage = 'mount';
    const extension = registered.find(({ id }) => id === init.extensionId);
    const root = document.getElementById('root');
    if (!extension || !root) throw new Error(`The extension "${init.extensionId}" was not registered again.`);
    for (const href of init.css)
      document.head.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href }));
    new ResizeObserver(() => post({ t: 'size', height: root.getBoundingClientRect().height })).observe(root);
    if (typeof extension.mount !== 'function') throw new Error('The extension has no `mount` function.');
    cleanup = await extension.mount(root, context);
    if (ended) clean();
    post({ t: 'mounted' });
  } catch (error) {
    post({ t: 'fail', stage, message: `${textOf(error)}${stage === 'load' ? adviceFor(error) : ''}` });
  }
}

function contextOf(init: Init, waiting: Map<number, Waiting>, post: (message: FromFrame) => void): object {
  let last = 0;
  const request = (path: string, options: { method?: string; headers?: HeadersInit; body?: string } = {}) =>
    new Promise((resolve, reject) => {
      const { method = 'GET', body } = options;
      if (init.mode === 'discover')
        return reject(new Error('A bundle cannot call the API while it is being discovered.'));
      if (body !== undefined && typeof body !== 'string')
        return reject(new TypeError('The body of a request must be a string.'));
      const headers = Object.fromEntries(new Headers(options.headers));
      const id = ++last;
      waiting.set(id, { resolve, reject });
      post({ t: 'req', id, path: `${path}`, method: `${method}`, headers, ...(body === undefined ? {} : { body }) });
    });
  const composer = Object.freeze({ submit: (text: string): void => post({ t: 'submit', text: `${text}` }) });
  const context: FrameContext = init.context;
  return Object.freeze({ ...context, request, ...(init.composer ? { composer, payload: { composer } } : {}) });
}

function settle(waiting: Map<number, Waiting>, answer: Extract<ToFrame, { t: 'res' }>): void {
  const call = waiting.get(answer.id);
  waiting.delete(answer.id);
  if (answer.ok) call?.resolve(answer.body);
  else call?.reject(Object.assign(new Error(answer.message), { status: answer.status, code: answer.code }));
}

function applyTheme({ vars, scheme, lang, dir }: Theme): void {
  const root = document.documentElement;
  for (const [name, value] of Object.entries(vars)) root.style.setProperty(name, value);
  root.style.colorScheme = scheme;
  Object.assign(root, { lang, dir });
}

/** A browser names the entry when it is what the entry imports that may not be loaded. */
function adviceFor(error: unknown): string {
  const isRefused = error instanceof TypeError && /import|module/i.test(error.message);
  return isRefused ? ' Only the entry runs: what it imports must be bundled into it.' : '';
}

function textOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 500);
}
