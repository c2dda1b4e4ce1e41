import { isApiError } from '../../lib/client/index.ts';
import { fromLists, reduceDirectory } from '../state/directory.ts';
import { createDrafts, type Drafts } from '../state/drafts.ts';
import type { Store } from '../state/store.ts';
import { announce, say as announceText } from './announce.ts';
import { type Api, createApi } from './api.ts';
import type { Credentials } from './credentials.ts';
import type { HubEnvelope } from './hub-protocol.ts';
import { keep, readKept } from './kept.ts';
import { createLink, type Link } from './link.ts';
import { messageOf } from './message-of.ts';
import { notifyAbout } from './notify.ts';
import { createSessions, type OpenSessions } from './sessions.ts';
import { createWorkbench, type Workbench } from './workbench.ts';

/** What views act through: the service, the open sessions, and what a person can do. */
export interface Console {
  store: Store;
  credentials: Credentials;
  drafts: Drafts;
  workbench: Workbench;
  sessions: OpenSessions;
  /** The client of the current token. */
  api(): Api;
  /** An image of a transcript, as bytes. */
  readImage(sessionId: string, hash: string): Promise<Blob>;
  signIn(token: string, remember: boolean): Promise<void>;
  signOut(reason?: string): void;
  /** Shows a line for a while; errors in their own words. Returns how to take it away before. */
  say(text: string, tone?: 'info' | 'danger', action?: { label: string; run: () => void }): () => void;
  fail(error: unknown): void;
  refresh(): Promise<void>;
  /** From now on `changed` is called when a plugin's bundle was saved. */
  followBundles(changed: () => void): void;
}

/** Asks the service for nothing before somebody signs in. */
export function createConsole(
  store: Store,
  { credentials, address }: { credentials: Credentials; address: (file: string) => string },
): Console {
  const base = new URL('.', document.baseURI).href;
  const connect = (): Api => createApi({ baseUrl: base, token: credentials.token });
  let api = connect();
  let toastKey = 0;

  const say: Console['say'] = (text, tone = 'info', action) => {
    const key = ++toastKey;
    store.toasts.value = [...store.toasts.value, { key, text, tone, ...(action ? { action } : {}) }].slice(-4);
    const drop = (): void => {
      store.toasts.value = store.toasts.value.filter((toast) => toast.key !== key);
    };
    setTimeout(drop, action || tone === 'danger' ? 8_000 : 4_000);
    return drop;
  };
  const fail = (error: unknown): void => {
    if (isApiError(error) && error.status === 401) self.signOut('This token is not accepted any more.');
    else say(messageOf(error), 'danger');
  };

  /** For each reading of the lists the events that came meanwhile: they are applied on top, because the lists may be older. */
  const meanwhile = new Set<HubEnvelope[]>();
  const refresh = async (): Promise<void> => {
    const events: HubEnvelope[] = [];
    meanwhile.add(events);
    try {
      const asked = api;
      const [{ sessions }, { approvals }] = await Promise.all([asked.listSessions(), asked.listApprovals()]);
      // Somebody else has signed in meanwhile.
      if (asked !== api) return;
      const lists = fromLists(store.directory.value, { sessions, approvals });
      store.directory.value = events.reduce((now, envelope) => reduceDirectory(now, envelope, openHere()), lists);
      store.listed.value = true;
    } finally {
      meanwhile.delete(events);
    }
  };
  const openHere = (): string | undefined => {
    const route = store.route.value;
    return route.name === 'session' && document.visibilityState === 'visible' ? route.id : undefined;
  };

  const enter = async (): Promise<void> => {
    const [boot, me, health] = await Promise.all([api.bootstrap(), api.me(), api.health()]);
    const { config } = await api.config();
    Object.assign(document, { title: boot.name });
    if (store.me.value && JSON.stringify(store.me.value) !== JSON.stringify(me)) {
      // What the one before had open and queued is not for this one.
      store.open.clear();
      store.queue.value = new Map();
    }
    store.boot.value = boot;
    store.me.value = me;
    store.health.value = health;
    store.config.value = config;
    await refresh();
    void workbench.queue.restore();
    store.access.value = { state: 'in' };
    link.start(credentials.token);
  };

  /** Reads again what events may have been missed of. */
  const catchUp = (): void => {
    refresh().then(workbench.queue.sendOverdue, () => undefined);
    sessions.reloadAll();
  };

  let bundlesChanged = (): void => undefined;
  const onEvents = (envelopes: readonly HubEnvelope[]): void => {
    const before = store.directory.value;
    let directory = before;
    const open = openHere();
    for (const events of meanwhile) events.push(...envelopes);
    for (const envelope of envelopes) {
      const { event } = envelope;
      directory = reduceDirectory(directory, envelope, open);
      sessions.receive(envelope);
      announce(store, event);
      notifyAbout(store, event);
      if (event.type === 'session.deleted' && open === event.sessionId) say('This session was deleted elsewhere.');
    }
    store.directory.value = directory;
    if (envelopes.some(({ event }) => event.type === 'stream.gap')) catchUp();
    for (const id of store.queue.value.keys())
      if (before.sessions.get(id)?.status === 'running' && directory.sessions.get(id)?.status !== 'running')
        void workbench.queue.send(id);
  };

  const link: Link = createLink(base, () => startWorker(address), {
    onLink(state) {
      store.link.value = state;
      if (state.state === 'signed-out' && store.access.value.state === 'in')
        self.signOut('This token is not accepted any more.');
    },
    onOpened(again) {
      // Also the first time: what happened between the first lists and the stream was told to nobody.
      catchUp();
      if (again) announceText(store, 'Reconnected');
    },
    onEvents,
    onBundles: () => bundlesChanged(),
  });

  const sessions = createSessions({ store, api: () => api, show: (ids) => link.show(ids), fail });
  const workbench = createWorkbench({ store, api: () => api, sessions, fail, say });

  const self: Console = {
    store,
    credentials,
    drafts: createDrafts({ read: readKept, write: keep }),
    workbench,
    sessions,
    api: () => api,
    async readImage(sessionId, hash) {
      const path = new URL(`api/sessions/${encodeURIComponent(sessionId)}/images/${encodeURIComponent(hash)}`, base);
      const { token } = credentials;
      const response = await fetch(path, token ? { headers: { authorization: `Bearer ${token}` } } : {});
      if (!response.ok) throw new Error('The image is not there any more.');
      return response.blob();
    },
    async signIn(token, remember) {
      if (token !== '') credentials.set(token, remember);
      api = connect();
      await enter();
      sessions.reloadAll();
    },
    signOut(reason = '') {
      link.stop();
      credentials.forget();
      store.layer.value = undefined;
      store.access.value = { state: 'out', reason };
    },
    say,
    fail,
    refresh,
    followBundles(changed) {
      bundlesChanged = changed;
      link.followBundles();
    },
  };
  return self;
}

/** Undefined where there are none, or where storage is off and they with it. */
function startWorker(address: (file: string) => string): SharedWorker | undefined {
  try {
    return new SharedWorker(address('hub.worker.js'), { type: 'module', name: 'hub' });
  } catch {
    return undefined;
  }
}
