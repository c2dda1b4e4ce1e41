import type { App } from '../lib/app.ts';

/** One after the other; what fails keeps nothing behind it from being closed. Rejects with the first failure. */
export async function closeApp(
  app: Pick<App, 'runs' | 'events' | 'plugins' | 'checkpoints' | 'auth' | 'store'>,
): Promise<void> {
  const parts = [
    () => app.runs.stopAll(),
    () => app.events.close(),
    () => app.plugins.close(),
    () => app.checkpoints.close(),
    () => app.auth.close(),
    () => app.store.close(),
  ];
  const failures: unknown[] = [];
  for (const part of parts) {
    try {
      await part();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
