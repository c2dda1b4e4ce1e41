/** The service cannot start as configured. `exitCode` 78 is the conventional "configuration error" of `sysexits`. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly exitCode = 78;
}
