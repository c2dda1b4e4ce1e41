import { decode } from '../state/route.ts';

const key = 'service.token';

/** Where the token lives: in memory and in this tab; on the device only when the person asks for it. */
export interface Credentials {
  readonly token: string | undefined;
  set(token: string, remember: boolean): void;
  forget(): void;
}

/** Takes `#token=` out of the address before anything is requested. Never reads any other part of the URL. */
export function createCredentials(): Credentials {
  let token = fromAddress() ?? stored(sessionStorage) ?? stored(localStorage);
  return {
    get token() {
      return token;
    },
    set(next, remember) {
      token = next;
      store(sessionStorage, next);
      if (remember) store(localStorage, next);
    },
    forget() {
      token = undefined;
      store(sessionStorage, undefined);
      store(localStorage, undefined);
    },
  };
}

function fromAddress(): string | undefined {
  const match = /^#(?:\/?)token=([^&]+)/.exec(location.hash);
  if (!match?.[1]) return undefined;
  history.replaceState(null, '', `${location.pathname}${location.search}#/`);
  const token = decode(match[1]);
  store(sessionStorage, token);
  return token;
}

function stored(storage: Storage): string | undefined {
  try {
    return storage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

function store(storage: Storage, token: string | undefined): void {
  try {
    if (token === undefined) storage.removeItem(key);
    else storage.setItem(key, token);
  } catch {
    // Storage may be off; the token then lives in memory alone.
  }
}
