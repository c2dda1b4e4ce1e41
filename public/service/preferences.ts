import { effect } from '@preact/signals';
import type { Store, Theme } from '../state/store.ts';
import { keep, readKept } from './kept.ts';

const notifyKey = 'service.notify';

export function readTheme(): Theme {
  const kept = readKept('service.theme');
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

/** Puts what a person prefers into the page and remembers it. */
export function applyPreferences(store: Store): void {
  store.notify.value = readKept(notifyKey) === 'yes';
  if (readKept('service.density') === 'compact') store.density.value = 'compact';
  for (const name of ['theme', 'density'] as const)
    effect(() => {
      const choice = store[name].value;
      document.documentElement.dataset[name] = choice;
      keep(`service.${name}`, choice);
    });
  effect(() => keep(notifyKey, store.notify.value ? 'yes' : 'no'));
}
