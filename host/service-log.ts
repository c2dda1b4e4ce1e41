import type { Clock } from '../lib/base/clock.ts';
import type { Logger } from '../lib/base/log.ts';
import { createLogger } from '../lib/base/logger.ts';
import { createSecretRegistry, type SecretRegistry } from '../lib/base/secrets.ts';
import type { Config } from '../lib/config/config.ts';
import { secretValues } from '../lib/config/secret-values.ts';

/**
 * The log of the configuration, on standard error; every secret that configuration and environment hold is taken out of
 * its lines.
 */
export function createServiceLog(
  config: Config,
  { env, clock }: { env: Readonly<Record<string, string | undefined>>; clock: Clock },
): { log: Logger; secrets: SecretRegistry } {
  const secrets = createSecretRegistry();
  for (const value of secretValues(config, env)) secrets.add(value);
  const write = (line: string) => process.stderr.write(line);
  return { log: createLogger({ ...config.log, clock, redact: secrets.redact, write }), secrets };
}
