import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { openProgram } from './compiled-program.ts';
import { letNurseryGrow } from './nursery.ts';

// Part of the build. usage: node build-code.js PROGRAM CODE DIRECTORY
const [program = '', code = '', directory = ''] = process.argv.splice(2, 3, '--port', '0').map((path) => resolve(path));
process.chdir(directory);
buildCode(program, code).catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});

/**
 * Runs the service as a newcomer would, with one message, and keeps what V8 has compiled by then. A second run in the same
 * directory adds what a start with sessions needs.
 */
async function buildCode(program: string, code: string): Promise<void> {
  setTimeout(() => process.exit(1), 30_000).unref();
  const compiled = openProgram(program, code);
  const greeting = new Promise<string>((greeted) => {
    process.stdout.write = (text: string | Uint8Array) => {
      greeted(String(text));
      return true;
    };
  });
  compiled.start();
  await converse(/http:\S+/.exec(await greeting)?.[0] ?? '');
  letNurseryGrow();
  writeFileSync(code, compiled.code());
  process.kill(process.pid, 'SIGTERM');
}

/** One turn with the demo model, and what a client that comes back asks. */
async function converse(url: string): Promise<void> {
  const ending = new AbortController();
  const call = (path: string, body?: object): Promise<Response> =>
    fetch(new URL(path, url), {
      signal: ending.signal,
      ...(body ? { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) } : {}),
    });
  const { session } = (await (await call('api/sessions', {})).json()) as { session: { id: string } };
  const events = await call(`api/sessions/${session.id}/events`);
  await call(`api/sessions/${session.id}/messages`, { content: 'hello' });
  let seen = '';
  for await (const chunk of events.body ?? []) {
    seen += Buffer.from(chunk).toString();
    if (seen.includes('run.finished')) break;
  }
  for (const path of ['', `/${session.id}`]) await (await call(`api/sessions${path}`)).text();
  ending.abort();
}
