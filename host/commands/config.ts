import { systemClock } from '../../lib/base/clock.ts';
import { publicConfig } from '../../lib/service/public-config.ts';
import { setUp } from '../set-up.ts';

/** Checks the configuration, prints what is in effect, and ends. Warnings go to the log; a wrong value exits 78. */
export async function configCommand(env: Readonly<Record<string, string | undefined>>): Promise<void> {
  const { config } = setUp(env, { clock: systemClock });
  const shown = publicConfig(config, { admin: true, tenantId: 'default' });
  process.stdout.write(`${JSON.stringify(shown, null, 2)}\n`);
}
