import { defaulted, type Infer, optional, type } from 'superstruct';
import { limits } from '../wire/limits.ts';
import {
  fraction,
  nonEmptyText,
  oneOf,
  optionsByName,
  tenantDirectories,
  text,
  textList,
  trueOrFalse,
  wholeNumber,
} from './rules.ts';

/** The default of `server.webRoot`; where it is missing, the console inside the package is served. */
export const defaultWebRoot = 'apps/web/dist';

/** Every configuration key with its rule and default (contract: Configuration keys). Durations are milliseconds. */
export const configSchema = type({
  name: defaulted(nonEmptyText(), 'Agent Session Service'),
  server: section({
    host: defaulted(nonEmptyText(), '127.0.0.1'),
    port: defaulted(wholeNumber(0, 65_535), 7331),
    token: defaulted(text('text; empty for none, "auto" for a generated one'), ''),
    corsOrigins: defaulted(textList(), () => ['*']),
    bodyLimitBytes: defaulted(wholeNumber(1, 2 ** 29), limits.bodyBytes),
    webRoot: defaulted(nonEmptyText(), defaultWebRoot),
    allowedHosts: defaulted(textList(), () => []),
    crossSiteGuard: defaulted(oneOf('auto', 'off'), 'auto'),
    drainMs: defaulted(wholeNumber(0, 3_600_000), 10_000),
    overloadLagMs: defaulted(wholeNumber(0), 500),
  }),
  model: section({
    default: optional(nonEmptyText()),
    temperature: optional(fraction({ least: 0, most: 2 })),
    maxTokens: optional(wholeNumber(1)),
    maxSteps: defaulted(wholeNumber(1), limits.maxSteps),
  }),
  agent: section({
    workspace: defaulted(nonEmptyText(), '.'),
    systemPrompt: defaulted(text(), ''),
    compaction: section({
      enabled: defaulted(trueOrFalse(), true),
      threshold: defaulted(fraction({ above: 0, most: 1 }), 0.8),
      keepRecent: defaulted(wholeNumber(0), 8),
      fallbackContextWindow: defaulted(wholeNumber(1), 128_000),
    }),
    retry: section({
      attempts: defaulted(wholeNumber(1), 3),
      baseDelayMs: defaulted(wholeNumber(0), 500),
      maxDelayMs: defaulted(wholeNumber(0), 8_000),
    }),
  }),
  plugins: section({
    directories: defaulted(textList(), () => ['plugins']),
    allow: optional(textList()),
    config: defaulted(optionsByName(), () => ({})),
    hotReload: defaulted(trueOrFalse(), false),
    hotReloadIntervalMs: defaulted(wholeNumber(0), 1_000),
  }),
  storage: section({
    directory: defaulted(nonEmptyText(), '.service'),
    driver: defaulted(oneOf('file', 'sqlite', 'pglite'), 'file'),
    durability: defaulted(oneOf('full', 'process'), 'full'),
    minFreeBytes: defaulted(wholeNumber(0), 64 * 1024 * 1024),
    reserveBytes: defaulted(wholeNumber(0), 32 * 1024 * 1024),
  }),
  auth: section({
    mode: optional(oneOf('none', 'token', 'accounts')),
    bootstrapToken: defaulted(text(), ''),
    bootstrapName: defaulted(nonEmptyText(), 'Admin'),
    workspaces: defaulted(tenantDirectories(), () => ({})),
  }),
  approvals: section({ timeoutMs: defaulted(wholeNumber(1), limits.approvalTimeoutMs) }),
  checkpoints: section({
    enabled: defaulted(oneOf('auto', true, false), 'auto'),
    maxFiles: defaulted(wholeNumber(0), limits.checkpointFiles),
    exclude: defaulted(textList(), () => []),
  }),
  log: section({
    level: defaulted(oneOf('debug', 'info', 'warn', 'error', 'silent'), 'info'),
    format: defaulted(oneOf('text', 'json'), 'text'),
  }),
});

/** The values as written, checked and with defaults; paths are still relative. */
export type Settings = Infer<typeof configSchema>;

function section<Fields extends Parameters<typeof type>[0]>(fields: Fields) {
  return defaulted(type(fields), {});
}
