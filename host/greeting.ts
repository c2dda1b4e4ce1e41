import { join } from 'node:path';
import type { App } from '../lib/app.ts';

/** What a person who starts the service reads first: where it is, and one command that does something. */
export function greeting({
  app,
  port,
}: {
  app: Pick<App, 'auth' | 'config' | 'models' | 'version'>;
  port: number;
}): string {
  const { auth, config } = app;
  const url = `http://${reachable(config.server.host)}:${port}`;
  const credential = auth.mode === 'none' ? '' : " -H 'authorization: Bearer <token>'";
  const lines = [`${config.name} ${app.version} is ready: ${url}`];
  if (auth.issuedToken !== undefined)
    lines.push(`Token (shown once, kept in ${join(config.storage.directory, 'token')}): ${auth.issuedToken}`);
  lines.push(
    'Open it in a browser, or create a session from a shell:',
    `  curl -X POST ${url}/api/sessions${credential} -H 'content-type: application/json' -d '{}'`,
  );
  return `${lines.join('\n')}\n`;
}

/** An address that a person can open: "every interface" is no destination, and an IPv6 address needs brackets. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}
