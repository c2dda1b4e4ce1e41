import type { Theme } from './protocol.ts';

const names = [
  ...['bg', 'surface', 'sunken', 'fg', 'muted', 'faint', 'border', 'border-strong', 'accent', 'on-accent', 'accent-bg'],
  ...['ok', 'add-bg', 'warn', 'warn-bg', 'danger', 'on-danger', 'del-bg', 'info', 'radius', 'radius-card', 'mono'],
];

/** The custom properties of the console that frames get, with what they need to be read the same way. */
export function readTheme(): Theme {
  const root = document.documentElement;
  const style = getComputedStyle(root);
  const vars = names.map((name) => [`--${name}`, style.getPropertyValue(`--${name}`).trim()]);
  return {
    vars: Object.fromEntries(vars),
    scheme: style.colorScheme,
    lang: root.lang,
    dir: root.dir || 'ltr',
  };
}

/** Calls `fn` whenever the theme may have changed. */
export function watchTheme(fn: () => void): () => void {
  const observer = new MutationObserver(fn);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme', 'lang', 'dir'] });
  const dark = matchMedia('(prefers-color-scheme: dark)');
  dark.addEventListener('change', fn);
  return () => {
    observer.disconnect();
    dark.removeEventListener('change', fn);
  };
}
