import { scriptedModel } from '../helpers/scripted-model.ts';
import { createTestApp, type TestApp, type TestAppOptions } from '../helpers/test-app.ts';
import { nested } from './load.ts';

/** What a key does, shown by a service with one value and the same service with another. */
export interface Effect {
  key: string;
  /** Both values; `observe` must see `sees` with them. */
  values: readonly [unknown, unknown];
  sees: readonly [unknown, unknown];
  options?: () => TestAppOptions;
  observe(service: TestApp, options: TestAppOptions): unknown;
}

/** A service with this one key set, everything else as in the tests' services. */
export async function withKey<T>(
  { key, options = () => ({}) }: Effect,
  value: unknown,
  observe: (service: TestApp, options: TestAppOptions) => T,
): Promise<Awaited<T>> {
  const base = { plugins: { directories: [] }, checkpoints: { enabled: false } };
  const given = options();
  const settings = merged(merged(base, given.settings ?? {}), value === undefined ? {} : nested(key, value));
  const service = await createTestApp({ models: [scriptedModel()], ...given, settings });
  try {
    return await observe(service, given);
  } finally {
    await service.close();
  }
}

function merged(one: object, other: object): object {
  const result: Record<string, unknown> = { ...one };
  for (const [key, value] of Object.entries(other)) {
    const both = isTree(value) && isTree(result[key]);
    result[key] = both ? merged(result[key] as object, value) : value;
  }
  return result;
}

function isTree(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
