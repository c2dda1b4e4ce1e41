import type { TestAppOptions } from '../helpers/test-app.ts';

/** The settings of a service with the triggers plugin, and others where they are named. */
export function triggerSettings(triggers: object, others: Record<string, object> = {}): object {
  const allow = ['triggers', ...Object.keys(others)];
  return { plugins: { directories: [], allow, config: { triggers, ...others } } };
}

export function triggerApp(triggers: object, more: TestAppOptions & { others?: Record<string, object> } = {}) {
  const { others, settings, ...options } = more;
  return { bundled: true, ...options, settings: { ...triggerSettings(triggers, others), ...settings } };
}
