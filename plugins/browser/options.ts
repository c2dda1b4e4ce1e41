import {
  array,
  boolean,
  defaulted,
  type Infer,
  integer,
  max,
  milliseconds,
  min,
  nonempty,
  optional,
  permission,
  string,
  type,
} from '../../lib/plugin-api/index.ts';

/** `plugins.config.browser` (contract: Browser plugin). */
export const BrowserOptions = type({
  /** A Chromium, as a path or a command. Absent: the first one that is installed. */
  executable: optional(nonempty(string())),
  /** More arguments for it. */
  args: defaulted(array(string()), () => []),
  headless: defaulted(boolean(), true),
  /** Whether `browser_open` asks. */
  permission: defaulted(permission, 'ask'),
  /** For one tool call. */
  timeoutMs: defaulted(milliseconds, 30_000),
  /** How long a page may react to an action before it is looked at. */
  settleMs: defaulted(max(min(integer(), 0), 60_000), 250),
  /** A session's page is closed when nobody used it for so long. */
  idleMs: defaulted(milliseconds, 900_000),
  maxTextChars: defaulted(max(min(integer(), 1), 1_000_000), 12_000),
  maxElements: defaulted(max(min(integer(), 0), 2_000), 120),
  /** Absent: Chromium's sandbox is off for root, who can't have one, and on for everybody else. */
  noSandbox: optional(boolean()),
});

export type BrowserOptions = Infer<typeof BrowserOptions>;
