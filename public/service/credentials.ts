import { decode } from '../state/route.ts';
import { keep, readKept } from './kept.ts';

const key = 'service.token';

/** Where the token lives: in memory and in this tab; on the device only when the person asks for it. */
export interface Credentials {
  readonly token: string | undefined;
  set(token: string, remember: boolean): void;
  forget(): void;
}

/** Takes `#token=` out of the address before anything is requested. Never reads any other part of the URL. */
export function createCredentials(): Credentials {
  let token = fromAddress() ?? readKept(key, 'sessionStorage') ?? readKept(key) ?? undefined;
  return {
    get token() {
      return token;
    },
    set(next, remember) {
      token = next;
      keep(key, next, 'sessionStorage');
      if (remember) keep(key, next);
    },
    forget() {
      token = undefined;
      keep(key, undefined, 'sessionStorage');
      keep(key, undefined);
    },
  };
}

function fromAddress(): string | undefined {
  const match = /^#(?:\/?)token=([^&]+)/.exec(location.hash);
  if (!match?.[1]) return undefined;
  history.replaceState(null, '', `${location.pathname}${location.search}#/`);
  const token = decode(match[1]);
  keep(key, token, 'sessionStorage');
  return token;
}
