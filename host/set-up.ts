import type { Clock } from '../lib/base/clock.ts';
import type { Logger } from '../lib/base/log.ts';
import type { SecretRegistry } from '../lib/base/secrets.ts';
import type { Config } from '../lib/config/config.ts';
import { loadConfig } from '../lib/config/load-config.ts';
import { createServiceLog } from './service-log.ts';

export interface SetUp {
  config: Config;
  log: Logger;
  secrets: SecretRegistry;
  cwd: string;
}

/** What every command needs first. */
export function setUp(env: Readonly<Record<string, string | undefined>>, { clock }: { clock: Clock }): SetUp {
  const cwd = process.cwd();
  const { config, warnings } = loadConfig({ env, cwd });
  const { log, secrets } = createServiceLog(config, { env, clock });
  for (const warning of warnings) log.warn(`Configuration: ${warning}`);
  return { config, log, secrets, cwd };
}
