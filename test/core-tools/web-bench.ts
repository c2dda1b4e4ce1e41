import type { LookupAddress } from 'node:dns';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { CoreToolsOptions } from '../../plugins/core-tools/options.ts';
import { createWebFetch } from '../../plugins/core-tools/web/web-fetch.ts';
import { callTool, type Info, type Result } from './tool-bench.ts';

export interface WebBench {
  fetch(url: string, how?: { approved?: boolean; signal?: AbortSignal; raw?: boolean }): Promise<Result>;
  /** How often each name was resolved. */
  lookups: string[];
}

/** The tool with a resolver that knows only `names`; a list of lists gives another answer each time. */
export function createWebBench(
  names: Record<string, string[] | string[][]> = {},
  options: Partial<CoreToolsOptions> = {},
  info: Partial<Info> = {},
): WebBench {
  const lookups: string[] = [];
  const tool = createWebFetch(CoreToolsOptions.create(options), {
    info: { version: '1.2.3', authMode: 'none', dataDirectory: '', ownPorts: () => [], ...info },
    directory: join(process.cwd(), 'dist/plugins/core-tools'),
    lookup: async (host) => {
      lookups.push(host);
      return answers(names[host] ?? [], lookups.filter((name) => name === host).length - 1);
    },
  });
  return {
    lookups,
    fetch: (url, { raw, ...how } = {}) => callTool(tool, raw === undefined ? { url } : { url, raw }, { how }),
  };
}

function answers(known: string[] | string[][], turn: number): LookupAddress[] {
  const list = known.flatMap((entry, at) =>
    typeof entry === 'string' ? entry : at === Math.min(turn, known.length - 1) ? entry : [],
  );
  return list.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
}

/** A server on loopback for one test. */
export async function withServer<T>(
  answer: RequestListener,
  fn: (server: { url: string; port: number; requests: string[] }) => Promise<T>,
): Promise<T> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    return await fn({ url: `http://127.0.0.1:${port}`, port, requests });
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}
