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

export function ok(subject: string, text: string): Check {
  return { level: 'ok', subject, text };
}

export function warn(subject: string, text: string): Check {
  return { level: 'warn', subject, text };
}

export function fail(subject: string, text: string): Check {
  return { level: 'fail', subject, text };
}
