/**
 * One environment variable: the key it sets and how its text becomes a value. Text that does not fit stays text: the
 * rule refuses it.
 */
export interface Variable {
  readonly name: string;
  readonly key: string;
  /** The flag that sets the variable, for the person who typed it. */
  readonly flag?: string;
  readonly read: (value: string) => unknown;
  /** An empty value counts; everywhere else it means "not set", as compose files write it. */
  readonly emptyCounts?: true;
}

/** The file's path is no key of the file. */
export const fileVariable = 'SERVICE_CONFIG';

export const variables: readonly Variable[] = [
  { name: 'SERVICE_HOST', key: 'server.host', flag: '--host', read: word },
  { name: 'SERVICE_PORT', key: 'server.port', flag: '--port', read: number },
  { name: 'SERVICE_TOKEN', key: 'server.token', flag: '--token', read: word, emptyCounts: true },
  { name: 'SERVICE_CORS_ORIGINS', key: 'server.corsOrigins', read: list },
  { name: 'SERVICE_MODEL', key: 'model.default', read: word },
  { name: 'SERVICE_WORKSPACE', key: 'agent.workspace', flag: '--workspace', read: verbatim },
  { name: 'SERVICE_SYSTEM_PROMPT', key: 'agent.systemPrompt', read: verbatim, emptyCounts: true },
  { name: 'SERVICE_PLUGINS', key: 'plugins.directories', read: list },
  { name: 'SERVICE_HOT_RELOAD', key: 'plugins.hotReload', read: onOff },
  { name: 'SERVICE_HOT_RELOAD_INTERVAL_MS', key: 'plugins.hotReloadIntervalMs', read: number },
  { name: 'SERVICE_DATA_DIR', key: 'storage.directory', read: verbatim },
  { name: 'SERVICE_STORAGE_DRIVER', key: 'storage.driver', read: keyword },
  { name: 'SERVICE_CHECKPOINTS', key: 'checkpoints.enabled', read: onOff },
  { name: 'SERVICE_CHECKPOINTS_MAX_FILES', key: 'checkpoints.maxFiles', read: number },
  { name: 'SERVICE_AUTH_MODE', key: 'auth.mode', read: keyword },
  { name: 'SERVICE_BOOTSTRAP_TOKEN', key: 'auth.bootstrapToken', read: word },
  { name: 'SERVICE_LOG_LEVEL', key: 'log.level', read: keyword },
  { name: 'SERVICE_LOG_FORMAT', key: 'log.format', read: keyword },
];

function verbatim(value: string): string {
  return value;
}

function word(value: string): string {
  return value.trim();
}

function keyword(value: string): string {
  return value.trim().toLowerCase();
}

function list(value: string): string[] {
  return value
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** Decimal digits only: `0x1f` and `1e3` are slips more often than intentions. */
function number(value: string): number | string {
  const digits = value.trim();
  return /^-?\d+(\.\d+)?$/.test(digits) ? Number(digits) : digits;
}

function onOff(value: string): boolean | string {
  const choice = keyword(value);
  if (['on', 'true', '1', 'yes'].includes(choice)) return true;
  if (['off', 'false', '0', 'no'].includes(choice)) return false;
  return choice;
}
