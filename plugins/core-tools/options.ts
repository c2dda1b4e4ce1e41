import {
  array,
  boolean,
  defaulted,
  enums,
  type Infer,
  integer,
  milliseconds,
  min,
  optional,
  permission,
  string,
  type,
} from '../../lib/plugin-api/index.ts';

/** `plugins.config.core-tools` (contract: Core tools plugin). */
export const CoreToolsOptions = type({
  /** False: the file tools take absolute paths too, anywhere but the service's own files. Ignored in mode `accounts`. */
  restrictToWorkspace: defaulted(boolean(), true),
  shellPermission: defaulted(permission, 'ask'),
  shellTimeoutMs: defaulted(milliseconds, 120_000),
  /**
   * Bubblewrap around every command: `auto` where it works, `required` runs none without it. Absent: `required` in mode
   * `accounts`, where the command of one tenant must not see the files of another, otherwise `off`.
   */
  shellSandbox: optional(enums(['auto', 'required', 'off'])),
  /** Whether a sandboxed command may reach the network. `auto`: not in mode `accounts`. */
  shellNetwork: defaulted(enums(['auto', 'on', 'off']), 'auto'),
  webPermission: defaulted(permission, 'ask'),
  fetchTimeoutMs: defaulted(milliseconds, 30_000),
  /** Host names, addresses or CIDR ranges of private networks that web_fetch may reach without more ado. */
  allowPrivateHosts: defaulted(array(string()), () => []),
  /** The cap on what a tool card shows. */
  maxOutputChars: defaulted(min(integer(), 1), 100_000),
});

export type CoreToolsOptions = Infer<typeof CoreToolsOptions>;
