import { effect } from '@preact/signals';
import type { Store, Theme } from '../state/store.ts';

const themeKey = 'service.theme';
const densityKey = 'service.density';
const notifyKey = 'service.notify';

export function readTheme(): Theme {
  const kept = read(themeKey);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

/** Puts what a person prefers into the page and remembers it. */
export function applyPreferences(store: Store): void {
  store.notify.value = read(notifyKey) === 'yes';
  if (read(densityKey) === 'compact') store.density.value = 'compact';
  effect(() => {
    const theme = store.theme.value;
    document.documentElement.dataset.theme = theme;
    write(themeKey, theme);
  });
  effect(() => {
    const density = store.density.value;
    document.documentElement.dataset.density = density;
    write(densityKey, density);
  });
  effect(() => write(notifyKey, store.notify.value ? 'yes' : 'no'));
}

function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function write(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // Preferences then last as long as the page.
  }
}
