import { type Logger, parseJson, recordOf, type Services, textOf } from '../../lib/plugin-api/index.ts';

/** Remembers what a tool was when a tenant first used it, also across restarts. */
export interface FirstUse {
  /** True when the tenant used the tool while it was something else. O(1). */
  hasChanged(tenantId: string, tool: { name: string; fingerprint: string }): boolean;
  /** From now on this is what the tenant knows the tool as. Returns at once; stored in the background. */
  accept(tenantId: string, tool: { name: string; fingerprint: string }): void;
}

/** Opens the memory for one server. Rejects when it can't be read: then nobody knows what changed. */
export async function openFirstUse(state: Services['state'], server: string, log: Logger): Promise<FirstUse> {
  const key = `mcp-${server}`;
  const stored = recordOf(parseJson((await state.read(key)) ?? '{}'));
  const known = new Map(Object.entries(stored).map(([place, print]) => [place, textOf(print)]));
  let writing = Promise.resolve();
  let planned = false;
  const write = async (): Promise<void> => {
    planned = false;
    await state.write(key, JSON.stringify(Object.fromEntries(known)));
  };
  const placeOf = (tenantId: string, name: string): string => `${tenantId}/${name}`;
  return {
    hasChanged(tenantId, { name, fingerprint }) {
      const first = known.get(placeOf(tenantId, name));
      return first !== undefined && first !== fingerprint;
    },
    accept(tenantId, { name, fingerprint }) {
      const place = placeOf(tenantId, name);
      if (known.get(place) === fingerprint) return;
      known.set(place, fingerprint);
      if (planned) return;
      planned = true;
      writing = writing
        .then(write)
        .catch((error: unknown) =>
          log.warn('What was used of the server could not be stored.', { error: String(error) }),
        );
    },
  };
}
