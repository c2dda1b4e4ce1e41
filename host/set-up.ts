import type { Clock } from '../lib/base/clock.ts';
import type { Logger } from '../lib/base/log.ts';
import { createLogger } from '../lib/base/logger.ts';
import { packageRoot } from '../lib/base/package-root.ts';
import { createSecretRegistry, type SecretRegistry } from '../lib/base/secrets.ts';
import type { Config } from '../lib/config/config.ts';
import { loadConfig } from '../lib/config/load-config.ts';
import { secretValues } from '../lib/config/secret-values.ts';

export interface SetUp {
  config: Config;
  log: Logger;
  secrets: SecretRegistry;
  cwd: string;
}

/** What every command needs first. The log goes to standard error and knows every secret of the configuration. */
export function setUp(env: Readonly<Record<string, string | undefined>>, { clock }: { clock: Clock }): SetUp {
  const cwd = process.cwd();
  const { config, warnings } = loadConfig({ env, cwd, packageRoot: packageRoot() });
  const secrets = createSecretRegistry();
  for (const value of secretValues(config, env)) secrets.add(value);
  const log = createLogger({
    ...config.log,
    clock,
    redact: secrets.redact,
    write: (line) => process.stderr.write(line),
  });
  for (const warning of warnings) log.warn(`Configuration: ${warning}`);
  return { config, log, secrets, cwd };
}
