/** Where a bundle may put something (contract: Slots). */
export const slots = [
  'sidebar.footer',
  'session.header',
  'settings.section',
  'message.after',
  'composer.actions',
  'file.viewer',
] as const;
export type Slot = (typeof slots)[number];

export interface Match {
  roles?: string[];
  toolNames?: string[];
  extensions?: string[];
}

/** What a bundle registered, after {@link parseFrameMessage}. */
export interface Extension {
  id: string;
  slot: Slot;
  order: number;
  match: Match;
}

export interface Theme {
  vars: Record<string, string>;
  scheme: string;
  lang: string;
  dir: string;
}

/** What a mounted extension is told about its place; functions are added inside the frame. */
export interface FrameContext {
  plugin: { id: string; name: string; version: string };
  endpoint: string;
  sessionId?: string;
  payload?: unknown;
  message?: unknown;
  file?: unknown;
}

/** The one window message from the console; the port comes with it. */
export interface Init {
  t: 'init';
  mode: 'discover' | 'mount';
  entry: string;
  css: string[];
  extensionId: string;
  context: FrameContext;
  composer: boolean;
  theme: Theme;
}

export type ToFrame =
  | { t: 'res'; id: number; ok: true; body: unknown }
  | { t: 'res'; id: number; ok: false; status: number; code: string; message: string }
  | { t: 'theme'; theme: Theme }
  | { t: 'ping'; n: number }
  /** A person came in with the Tab key: the answer to the `focus` of this turn. */
  | { t: 'keyboard'; turn: number }
  | { t: 'dispose' };

export interface FrameRequest {
  t: 'req';
  id: number;
  path: string;
  method: string;
  headers: Record<string, string>;
  body?: string;
}

export type FromFrame =
  | { t: 'discovered'; extensions: Extension[] }
  | { t: 'mounted' }
  | { t: 'disposed' }
  | { t: 'fail'; stage: string; message: string }
  | { t: 'size'; height: number }
  | { t: 'violation'; kind: string; detail: string }
  | { t: 'pong'; n: number }
  /** A person pressed a key or a pointer inside. */
  | { t: 'input'; pointer: boolean }
  /** It has the keyboard, for the `turn`th time. */
  | { t: 'focus'; turn: number }
  | FrameRequest
  | { t: 'submit'; text: string };
