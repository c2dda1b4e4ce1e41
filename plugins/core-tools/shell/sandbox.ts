import { execFile } from 'node:child_process';
import { realpath } from 'node:fs/promises';
import { dirname } from 'node:path';

/** What a sandboxed command sees of the machine. */
export interface SandboxView {
  /** Absolute real path; the only place that it can write to. */
  workspace: string;
  /** The service's data: not there, even when it lies in the workspace. */
  dataDirectory: string;
  network: boolean;
}

const systemDirectories = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/etc', '/opt', '/nix'];
const probeMs = 5_000;

/**
 * The words that put a program into a bubblewrap sandbox: new namespaces, no capabilities, a system that can only be
 * read, private /tmp, a process tree that ends with its parent.
 */
export async function sandboxWords({ workspace, dataDirectory, network }: SandboxView): Promise<string[]> {
  const data = await realpath(dataDirectory).catch(() => undefined);
  const hidesData = data !== undefined && (data === workspace || data.startsWith(`${workspace}/`));
  return [
    ...systemWords(network),
    ...['--bind', workspace, workspace],
    ...(hidesData ? ['--tmpfs', data] : []),
    ...['--chdir', workspace, '--'],
  ];
}

/** Undefined when the sandbox works here, otherwise why it does not. Starts one process. */
export function probeSandbox(environment: Record<string, string>): Promise<string | undefined> {
  const [program = '', ...words] = [...systemWords(false), '--', '/bin/true'];
  return new Promise((resolve) => {
    execFile(program, words, { env: environment, timeout: probeMs }, (error, _, output) => {
      const reason = output.trim().split('\n')[0] || error?.message;
      resolve(error ? `bubblewrap does not work here (${reason})` : undefined);
    });
  });
}

function systemWords(network: boolean): string[] {
  // The program that runs this is often somebody's own, outside the system directories.
  const runtime = dirname(dirname(process.execPath));
  const readable = [...systemDirectories, ...(runtime === '/' ? [] : [runtime])];
  return [
    ...['bwrap', '--die-with-parent', '--unshare-all', '--new-session', '--cap-drop', 'ALL'],
    ...(network ? ['--share-net'] : []),
    ...readable.flatMap((directory) => ['--ro-bind-try', directory, directory]),
    // Where the name server's address is kept on many systems; /etc only has a link to it.
    ...(network ? ['--ro-bind-try', '/run/systemd/resolve', '/run/systemd/resolve'] : []),
    ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp', '--setenv', 'HOME', '/tmp', '--unsetenv', 'TMPDIR'],
  ];
}
