import { createHash, randomUUID } from 'node:crypto';
import { definePlugin, endProcesses } from '../../lib/plugin-api/index.ts';
import { BridgeOptions } from './options.ts';
import { findGuard } from './program.ts';
import { createServer } from './server.ts';

/** How long the start of the service waits for the first listings; servers that take longer join when they are there. */
const patienceMs = 2_000;

/** Tools of MCP servers (contract: MCP bridge plugin). Nothing of it is loaded while no server is configured. */
export default definePlugin<BridgeOptions>({
  options: BridgeOptions,
  async apply({ options, use, log, onDispose }) {
    const info = use('service.info');
    const clock = use('clock');
    const owner = `mcp.${createHash('sha256').update(info.dataDirectory).digest('hex').slice(0, 16)}`;
    const instance = `${owner}.${randomUUID()}`;
    const entries = Object.entries(options.servers);
    const isLocal = entries.some(([, value]) => typeof value === 'object' && value !== null && 'command' in value);
    const guard = isLocal ? findGuard() : Promise.resolve([]);
    if (isLocal)
      endProcesses({ isMarked: (marker) => marker.startsWith(`${owner}.`) && !marker.startsWith(instance) }).catch(
        (error: unknown) => log.warn('Stray MCP servers were not ended.', { error: String(error) }),
      );
    const servers = entries.map(([name, value]) =>
      createServer(name, value, {
        ...{ tools: use('tools'), state: use('state'), clock, guard, version: info.version },
        log: log.child({ server: name }),
        marker: `${instance}.${name}`,
      }),
    );
    onDispose(async () => {
      await Promise.all(servers.map((server) => server.close()));
    });
    use('http.routes').register({
      method: 'GET',
      path: '/api/mcp',
      admin: true,
      handler: () => ({ body: { servers: servers.map((server) => server.status()) } }),
    });
    if (servers.length === 0) return;
    await new Promise<void>((resolve) => {
      const cancel = clock.after(patienceMs, resolve);
      void Promise.all(servers.map((server) => server.settled)).then(() => {
        cancel();
        resolve();
      });
    });
  },
});
