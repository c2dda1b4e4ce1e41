import type { Principal } from '../auth/principal.ts';
import { looksSecret } from '../base/secret-names.ts';
import type { Config } from '../config/config.ts';
import type { PublicConfig } from '../wire/service.ts';

const hidden = '[hidden]';
const depth = 6;

/**
 * What `GET /api/config` may show: an allow-list, so that a new key stays private until someone decides otherwise.
 * Of plugin options only numbers, booleans and the texts of well-known harmless options appear. Who is no administrator
 * does not learn about other tenants.
 */
export function publicConfig(config: Config, viewer: Pick<Principal, 'admin' | 'tenantId'>): PublicConfig {
  const { server, model, agent, plugins, storage, auth, approvals, checkpoints, log } = config;
  return {
    name: config.name,
    server: {
      host: server.host,
      port: server.port,
      corsOrigins: server.corsOrigins,
      bodyLimitBytes: server.bodyLimitBytes,
      webRoot: server.webRoot,
      allowedHosts: server.allowedHosts,
      crossSiteGuard: server.crossSiteGuard,
      drainMs: server.drainMs,
      overloadLagMs: server.overloadLagMs,
    },
    model: {
      default: model.default,
      temperature: model.temperature,
      maxTokens: model.maxTokens,
      maxSteps: model.maxSteps,
    },
    agent: {
      workspace: agent.workspace,
      systemPrompt: agent.systemPrompt,
      compaction: agent.compaction,
      retry: agent.retry,
    },
    plugins: {
      directories: plugins.directories,
      allow: plugins.allow,
      hotReload: plugins.hotReload,
      hotReloadIntervalMs: plugins.hotReloadIntervalMs,
      config: Object.fromEntries(
        Object.entries(plugins.config).map(([id, options]) => [id, publicOption(options, '')]),
      ),
    },
    storage: {
      directory: storage.directory,
      driver: storage.driver,
      durability: storage.durability,
      minFreeBytes: storage.minFreeBytes,
      reserveBytes: storage.reserveBytes,
    },
    auth: {
      mode: auth.mode,
      bootstrapName: auth.bootstrapName,
      workspaces: visibleWorkspaces(auth.workspaces, viewer),
    },
    approvals: { timeoutMs: approvals.timeoutMs },
    checkpoints: { enabled: checkpoints.enabled, maxFiles: checkpoints.maxFiles, exclude: checkpoints.exclude },
    log: { level: log.level, format: log.format },
  };
}

function visibleWorkspaces(
  workspaces: Record<string, string>,
  { admin, tenantId }: Pick<Principal, 'admin' | 'tenantId'>,
): Record<string, string> {
  return Object.fromEntries(Object.entries(workspaces).filter(([id]) => admin || id === tenantId));
}

/** Options whose text is never a secret by their meaning. */
const harmless = new Set(
  `provider model models label id name title role roles permission shellPermission webPermission approval enabled mode
  directories path files toolName executable cron schedule timezone type`.split(/\s+/),
);
const urls = new Set(['baseUrl', 'url']);
/** Maps whose every value may be a credential, whatever it is called. */
const credentialMaps = new Set(['headers', 'env', 'args']);

function publicOption(value: unknown, key: string, level = 0): unknown {
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value;
  if (level > depth || credentialMaps.has(key) || looksSecret(key)) return variableName(key, value) ?? hidden;
  if (typeof value === 'string') return publicText(value, key);
  if (Array.isArray(value)) return value.map((entry) => publicOption(entry, key, level + 1));
  if (typeof value !== 'object') return hidden;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, publicOption(inner, name, level + 1)]));
}

function publicText(value: string, key: string): string {
  if (urls.has(key)) return originAndPath(value);
  return harmless.has(key) ? value : hidden;
}

/** `apiKeyEnv` names a variable; a key that was pasted there by mistake does not look like one. */
function variableName(key: string, value: unknown): string | undefined {
  return /Env$/.test(key) && typeof value === 'string' && /^[A-Z][A-Z0-9_]{0,63}$/.test(value) ? value : undefined;
}

/** Without user, password, query and fragment. */
function originAndPath(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  return url === undefined ? hidden : `${url.origin}${url.pathname}`;
}
