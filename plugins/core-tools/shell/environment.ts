import { usualPath } from '../../../lib/plugin-api/index.ts';

/** What a command gets to know of the service's environment: nothing that is a credential or a setting of the service. */
const passed = /^(?:HOME|LOGNAME|PATH|SHELL|TERM|USER|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR)$/;

/** A new environment for a child process. */
export function scrubEnvironment(environment: NodeJS.ProcessEnv): Record<string, string> {
  const kept = Object.entries(environment).filter(([name, value]) => passed.test(name) && value !== undefined);
  return {
    PATH: usualPath,
    ...Object.fromEntries(kept.map(([name, value]) => [name, value ?? ''])),
  };
}
