import {
  array,
  defaulted,
  type Infer,
  milliseconds,
  nonempty,
  optional,
  permission,
  record,
  string,
  type,
  unknown,
} from '../../lib/plugin-api/index.ts';

/** `plugins.config.mcp-bridge` (contract: MCP bridge plugin). A server is looked at by itself: one that is wrong stops no other. */
export const BridgeOptions = type({
  servers: defaulted<Record<string, unknown>, null>(record(string(), unknown()), () => ({})),
});

export type BridgeOptions = Infer<typeof BridgeOptions>;

/** One entry of `servers`, as it is written. */
export const ServerOptions = type({
  command: optional(nonempty(string())),
  args: defaulted(array(string()), () => []),
  env: defaulted<Record<string, string>, null>(record(string(), string()), () => ({})),
  cwd: optional(nonempty(string())),
  url: optional(nonempty(string())),
  headers: defaulted<Record<string, string>, null>(record(string(), string()), () => ({})),
  approval: defaulted(permission, 'ask'),
  /** For one call, from the request to its result. */
  timeoutMs: defaulted(milliseconds, 120_000),
});

export type ServerOptions = Infer<typeof ServerOptions>;
