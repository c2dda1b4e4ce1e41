import type { Clock, Logger, Services, Undo } from '../../lib/plugin-api/index.ts';
import { messageOf } from '../../lib/plugin-api/index.ts';
import { createBridgedTool } from './bridged-tool.ts';
import { type Connection, type ConnectionState, createConnection } from './connection.ts';
import { readDefinition, type ServerDefinition } from './definition.ts';
import { type FirstUse, openFirstUse } from './first-use.ts';
import { type RefusedTool, readTools } from './remote-tool.ts';

/** What `GET /api/mcp` tells about a server. */
export interface ServerStatus {
  name: string;
  transport?: 'stdio' | 'http';
  state: ConnectionState | 'failed';
  error?: string;
  approval?: 'ask' | 'auto';
  /** The names that models see. */
  tools: string[];
  refused: RefusedTool[];
  reconnects: number;
  pid?: number;
}

export interface Server {
  status(): ServerStatus;
  /** Resolves when the first attempt to connect is over. Never rejects. */
  settled: Promise<void>;
  close(): Promise<void>;
}

export interface ServerSurroundings {
  tools: Services['tools'];
  state: Services['state'];
  clock: Clock;
  log: Logger;
  version: string;
  marker: string;
  guard: Promise<readonly string[]>;
}

/** Reads the definition of a server and keeps it connected. A definition that is wrong makes a server that only says so. */
export function createServer(name: string, value: unknown, surroundings: ServerSurroundings): Server {
  const { log } = surroundings;
  try {
    return runServer(readDefinition(name, value, process.env), surroundings);
  } catch (error) {
    const text = messageOf(error);
    log.error('The server is not configured correctly and is left out.', { error: text });
    return {
      status: () => ({ name, state: 'failed', error: text, tools: [], refused: [], reconnects: 0 }),
      settled: Promise.resolve(),
      close: async () => undefined,
    };
  }
}

function runServer(definition: ServerDefinition, surroundings: ServerSurroundings): Server {
  const { tools: registry, state, clock, log, version, marker } = surroundings;
  const offered = new Map<string, { fingerprint: string; undo: Undo }>();
  let refused: RefusedTool[] = [];
  let connection: Connection | undefined;
  let problem: string | undefined;
  let closed = false;

  const offer = (list: Record<string, unknown>[], firstUse: FirstUse): void => {
    if (connection === undefined || closed) return;
    const read = readTools(definition.name, list);
    refused = read.refused;
    const wanted = new Map(read.tools.map((tool) => [tool.name, tool]));
    for (const [name, { fingerprint, undo }] of offered) {
      if (wanted.get(name)?.fingerprint === fingerprint) continue;
      if (wanted.has(name)) log.warn('The server changed a tool.', { tool: name });
      offered.delete(name);
      undo();
    }
    for (const tool of wanted.values()) {
      if (offered.has(tool.name)) continue;
      try {
        const undo = registry.register(createBridgedTool(tool, definition, { connection, firstUse, clock }));
        offered.set(tool.name, { fingerprint: tool.fingerprint, undo });
      } catch (error) {
        refused.push({ name: tool.remoteName, reason: messageOf(error) });
      }
    }
    for (const { name, reason } of refused) log.warn('A tool of the server is not offered.', { tool: name, reason });
  };

  const settled = (async () => {
    const [firstUse, guard] = await Promise.all([openFirstUse(state, definition.name, log), surroundings.guard]);
    if (closed) return;
    connection = createConnection(definition, {
      ...{ clock, log, version, marker, guard },
      onTools: (list) => offer(list, firstUse),
    });
    await connection.settled;
  })().catch((error: unknown) => {
    problem = messageOf(error);
    log.error('The server could not be set up.', { error: problem });
  });

  return {
    settled,
    status() {
      const error = problem ?? connection?.error;
      return {
        name: definition.name,
        transport: definition.kind,
        state: problem === undefined ? (connection?.state ?? 'connecting') : 'failed',
        ...(error === undefined ? {} : { error }),
        approval: definition.approval,
        tools: [...offered.keys()],
        refused,
        reconnects: connection?.reconnects ?? 0,
        ...(connection?.pid === undefined ? {} : { pid: connection.pid }),
      };
    },
    async close() {
      closed = true;
      await connection?.close();
    },
  };
}
