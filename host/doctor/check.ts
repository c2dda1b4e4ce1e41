import type { Config } from '../../lib/config/config.ts';

/**
 * What a check came to. `warn`: the service works, with less than it could; `fail`: it does not start or loses what it
 * promises.
 */
export interface Check {
  level: 'ok' | 'warn' | 'fail';
  /** What was looked at, one or two words. */
  subject: string;
  /** What was found, and what to do unless it is fine. One line. */
  text: string;
}

/** False for a plugin that `plugins.allow` leaves out: what it would need is of no interest. */
export function mayLoad({ allow }: Pick<Config['plugins'], 'allow'>, name: string): boolean {
  return allow === undefined || allow.includes(name);
}

export function ok(subject: string, text: string): Check {
  return { level: 'ok', subject, text };
}

export function warn(subject: string, text: string): Check {
  return { level: 'warn', subject, text };
}

export function fail(subject: string, text: string): Check {
  return { level: 'fail', subject, text };
}
