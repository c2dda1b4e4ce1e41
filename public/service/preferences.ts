import { effect } from '@preact/signals';
import type { Store, Theme } from '../state/store.ts';
import { keep, readKept } from './kept.ts';

const themeKey = 'service.theme';
const densityKey = 'service.density';
const notifyKey = 'service.notify';

export function readTheme(): Theme {
  const kept = readKept(themeKey);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

/** Puts what a person prefers into the page and remembers it. */
export function applyPreferences(store: Store): void {
  store.notify.value = readKept(notifyKey) === 'yes';
  if (readKept(densityKey) === 'compact') store.density.value = 'compact';
  effect(() => {
    const theme = store.theme.value;
    document.documentElement.dataset.theme = theme;
    keep(themeKey, theme);
  });
  effect(() => {
    const density = store.density.value;
    document.documentElement.dataset.density = density;
    keep(densityKey, density);
  });
  effect(() => keep(notifyKey, store.notify.value ? 'yes' : 'no'));
}
