import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { tempDirectory } from './temp-directory.ts';
import { eventually } from './within.ts';

/** Why nginx can't be used here, or undefined. */
export function nginxMissing(): string | undefined {
  return binary() === undefined ? 'nginx is not installed' : undefined;
}

export interface Nginx {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts nginx as Debian configures it (gzip on, buffering on, sendfile, tcp_nopush) with these lines of the server; `outside` stand before it. */
export async function startNginx(locations: string, outside = ''): Promise<Nginx> {
  const directory = tempDirectory('nginx');
  mkdirSync(join(directory, 'logs'));
  const port = await freePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${directory}/${name};`,
  );
  writeFileSync(
    join(directory, 'nginx.conf'),
    `${process.getuid?.() === 0 ? 'user root;' : ''}
worker_processes auto;
daemon off;
pid ${directory}/nginx.pid;
error_log ${directory}/error.log;
events { worker_connections 768; }
http {
  sendfile on;
  tcp_nopush on;
  types_hash_max_size 2048;
  default_type application/octet-stream;
  access_log off;
  gzip on;
  ${temporary.join('\n  ')}
  ${outside}
  server {
    listen 127.0.0.1:${port};
    ${locations.includes('client_max_body_size') ? '' : 'client_max_body_size 16m;'}
    ${locations}
  }
}
`,
  );
  const child = spawn(binary() ?? 'nginx', ['-p', directory, '-c', 'nginx.conf', '-e', join(directory, 'error.log')], {
    stdio: 'ignore',
  });
  const killAtExit = () => child.kill('SIGKILL');
  process.once('exit', killAtExit);
  const ended = once(child, 'close').finally(() => process.off('exit', killAtExit));
  await eventually(5_000, () => accepts(port), 'nginx');
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function binary(): string | undefined {
  const found = ['/usr/sbin/nginx', '/usr/local/sbin/nginx', '/opt/homebrew/bin/nginx'].find((path) =>
    existsSync(path),
  );
  return found ?? (spawnSync('nginx', ['-v']).status === 0 ? 'nginx' : undefined);
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
