import { type Signal, signal } from '@preact/signals';
import type { Caller } from '../../lib/wire/identity.ts';
import type { Bootstrap, Health, PublicConfig } from '../../lib/wire/service.ts';
import type { LinkState } from '../service/hub-protocol.ts';
import { type Conversation, emptyConversation } from './conversation.ts';
import { type Directory, emptyDirectory } from './directory.ts';
import type { Draft } from './drafts.ts';
import type { LiveText } from './live-text.ts';
import type { Queued } from './queued.ts';
import { parseRoute, type Route } from './route.ts';

export interface Toast {
  key: number;
  text: string;
  tone: 'info' | 'danger';
  action?: { label: string; run: () => void };
}

/** A dialog or menu above everything; only one at a time. */
export type Layer =
  | { name: 'palette' }
  | { name: 'shortcuts' }
  | { name: 'inbox' }
  | { name: 'rewind'; sessionId: string; messageId: string; edit: boolean }
  | { name: 'restore'; sessionId: string; checkpointId: string }
  | { name: 'image'; url: string; label: string }
  | { name: 'confirm'; title: string; text: string; word?: string; confirm: string; run: () => unknown };

/** One session as it is open here. */
export interface OpenSession {
  id: string;
  conversation: Signal<Conversation>;
  live: LiveText;
  phase: Signal<'loading' | 'ready' | 'missing' | 'failed'>;
  problem: Signal<string>;
  stopping: Signal<boolean>;
  /** How long the reasoning of messages took that were watched here, in milliseconds. The service does not keep it. */
  thoughts: Map<string, number>;
  /** The message that was sent; shown until the transcript has a message of the person behind `after`. */
  echo: Signal<{ draft: Draft; after: string | undefined } | undefined>;
}

export type Theme = 'system' | 'light' | 'dark';

/** How much room things take; compact also folds every finished tool call into its group's line. */
export type Density = 'comfortable' | 'compact';

/** Everything the views read. Signals: a view is drawn again only when what it read changed. */
export interface Store {
  access: Signal<{ state: 'unknown' | 'in' } | { state: 'out'; reason: string }>;
  boot: Signal<Bootstrap | undefined>;
  health: Signal<Health | undefined>;
  me: Signal<Caller | undefined>;
  config: Signal<PublicConfig | undefined>;
  link: Signal<LinkState>;
  directory: Signal<Directory>;
  /** The first lists have arrived. */
  listed: Signal<boolean>;
  route: Signal<Route>;
  open: Map<string, OpenSession>;
  queue: Signal<ReadonlyMap<string, readonly Queued[]>>;
  toasts: Signal<readonly Toast[]>;
  layer: Signal<Layer | undefined>;
  theme: Signal<Theme>;
  density: Signal<Density>;
  notify: Signal<boolean>;
  /** What people who listen are told, newest last. */
  announcements: Signal<readonly { key: number; text: string }[]>;
  sidebarOpen: Signal<boolean>;
  /** Sessions that are hidden because their deletion can still be undone. */
  deleting: Signal<ReadonlySet<string>>;
}

export function createStore(hash: string, theme: Theme): Store {
  return {
    access: signal({ state: 'unknown' }),
    boot: signal(undefined),
    health: signal(undefined),
    me: signal(undefined),
    config: signal(undefined),
    link: signal({ state: 'connecting' }),
    directory: signal(emptyDirectory),
    listed: signal(false),
    route: signal(parseRoute(hash)),
    open: new Map(),
    queue: signal(new Map()),
    toasts: signal([]),
    layer: signal(undefined),
    theme: signal(theme),
    density: signal('comfortable'),
    notify: signal(false),
    announcements: signal([]),
    sidebarOpen: signal(false),
    deleting: signal(new Set()),
  };
}

export function createOpenSession(id: string, live: LiveText): OpenSession {
  return {
    id,
    conversation: signal(emptyConversation),
    live,
    phase: signal('loading'),
    problem: signal(''),
    stopping: signal(false),
    thoughts: new Map(),
    echo: signal(undefined),
  };
}
