import { join } from 'node:path';
import type { AuthService } from '../../lib/auth/accounts-admin.ts';
import { createAuth } from '../../lib/auth/create-auth.ts';
import type { AuthMode } from '../../lib/auth/principal.ts';
import { createLogger } from '../../lib/base/logger.ts';
import { createSecretRegistry } from '../../lib/base/secrets.ts';
import { createIdSource } from '../../lib/wire/ids.ts';
import { load } from '../config/load.ts';
import { createFakeClock, type FakeClock } from '../helpers/fake-clock.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';

export const bootstrapToken = 'a-long-bootstrap-token-for-tests';

export interface SignInOptions {
  mode?: AuthMode;
  /** `server.token`. */
  token?: string;
  bootstrap?: string;
  host?: string;
  /** A data root to start on again. */
  directory?: string;
}

/** A fresh authentication over a data root in a temporary directory, with a clock to turn. */
export async function startAuth(options: SignInOptions = {}) {
  const { mode, token = '', bootstrap = '', host = '127.0.0.1', directory = tempDirectory('auth') } = options;
  const { config } = load({
    file: {
      server: { token, host },
      auth: { ...(mode ? { mode } : {}), bootstrapToken: bootstrap, bootstrapName: 'First' },
    },
  });
  const clock = createFakeClock();
  const lines: string[] = [];
  const secrets = createSecretRegistry();
  const log = createLogger({
    level: 'debug',
    format: 'text',
    clock,
    write: (line) => lines.push(line),
    redact: secrets.redact,
  });
  const auth = await createAuth({ config, directory, clock, log, newId: createIdSource(clock.now), secrets });
  return { auth, clock, lines, secrets, directory, accountsFile: join(directory, 'auth', 'accounts.json') };
}

/** A request with this bearer token. */
export function bearer(token: string, path = '/api/sessions', init: RequestInit = {}): Request {
  return new Request(`http://127.0.0.1${path}`, { ...init, headers: { authorization: `Bearer ${token}` } });
}

/** The code of the ServiceError that the promise rejects with, or `accepted`. */
export async function outcome(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'accepted',
    (error: unknown) => String(Reflect.get(Object(error), 'code') ?? error),
  );
}

/** Moves the clock on and lets what that set going settle. */
export async function turn(clock: FakeClock, ms: number): Promise<void> {
  clock.advance(ms);
  await new Promise((resolve) => setImmediate(resolve));
}

/** With one administrator whose token was generated: no test waits for a slow hash that it is not about. */
export async function settled() {
  const { auth, directory } = await startAuth();
  await auth.createUser({ name: 'First', role: 'admin' });
  return startAuth({ mode: 'accounts', directory });
}

/** Tries to sign in: `accepted` or the code of the refusal. */
export function signIn(auth: AuthService, token: string): Promise<string> {
  return outcome(auth.authenticate(bearer(token), '192.0.2.1'));
}
