import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Progress } from '@modelcontextprotocol/sdk/types.js';
import { isRecord, type JsonRecord, type Logger, messageOf } from '../../lib/plugin-api/index.ts';
import type { ServerDefinition } from './definition.ts';
import { createHttpTransport } from './http-transport.ts';
import { prepareProgram } from './program.ts';
import { createStdioTransport } from './stdio-transport.ts';

/** One open connection to a server. */
export interface Link {
  /** The process of a server with `command`. */
  readonly pid: number | undefined;
  /** All tools as the server describes them, bounded in number. */
  list(): Promise<JsonRecord[]>;
  /**
   * Resolves with the server's result. Rejects with an error of the server, of the connection, or with the reason of
   * the signal.
   */
  call(name: string, args: JsonRecord, options: CallOptions): Promise<JsonRecord>;
  /** Resolves with the reason once nothing can be sent any more, also after `close`. */
  readonly ended: Promise<string>;
  close(): Promise<void>;
}

export interface CallOptions {
  signal: AbortSignal;
  timeoutMs: number;
  onProgress(progress: Progress): void;
}

export interface LinkOptions {
  version: string;
  log: Logger;
  /** For the processes of this server. */
  marker: string;
  guard: readonly string[];
  /** Aborts the connecting. */
  signal: AbortSignal;
  onToolsChanged(): void;
}

const connectMs = 30_000;
const listMs = 30_000;
const pingMs = 5_000;
const mostPages = 50;
const mostTools = 1_000;

/** Connects and shakes hands. Rejects with an error for the operator, after everything that was started has ended. */
export async function openLink(definition: ServerDefinition, options: LinkOptions): Promise<Link> {
  const { signal, log, version, onToolsChanged } = options;
  const [{ Client }, { ResultSchema, ToolListChangedNotificationSchema }] = await Promise.all([
    import('@modelcontextprotocol/sdk/client/index.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ]);
  const { transport, pid, lastWords } = await createTransport(definition, options);
  signal.throwIfAborted();
  // The results are read here, leniently; schemas of strangers are never compiled.
  const client = new Client({ name: 'agent-session-service', version }, { capabilities: {} });
  client.setNotificationHandler(ToolListChangedNotificationSchema, onToolsChanged);
  let lastError: string | undefined;
  let hasEnded = false;
  const ended = new Promise<string>((resolve) => {
    client.onclose = () => {
      hasEnded = true;
      resolve(lastWords?.() ?? lastError ?? 'The connection was closed.');
    };
  });
  client.onerror = (error) => {
    lastError = error.message;
    log.debug('The connection reported an error.', { error: error.message.slice(0, 500) });
    if (definition.kind === 'http') void check();
  };

  let checking: Promise<void> | undefined;
  /** Ends a connection whose other side is gone or hangs. */
  const check = (): Promise<void> => {
    checking ??= client
      .ping({ timeout: pingMs })
      .then(
        () => undefined,
        async (error: unknown) => {
          if (isAnswer(error)) return;
          lastError ??= `It does not answer (${messageOf(error)}).`;
          await client.close();
        },
      )
      .finally(() => {
        checking = undefined;
      });
    return checking;
  };

  const close = async (): Promise<void> => {
    await client.close();
    await ended;
  };
  try {
    await client.connect(transport, { timeout: connectMs, signal });
  } catch (error) {
    await transport.close().catch(() => undefined);
    if (isTimeout(error)) throw new Error(`It did not answer "initialize" within ${connectMs / 1000} s.`);
    throw isClosed(error) && lastWords ? new Error(lastWords()) : error;
  }
  return {
    pid: pid?.(),
    ended,
    close,
    async list() {
      if (client.getServerCapabilities()?.tools === undefined) return [];
      const tools: JsonRecord[] = [];
      let cursor: string | undefined;
      for (let page = 0; page < mostPages; page++) {
        const params = cursor === undefined ? {} : { cursor };
        const result = await client.request({ method: 'tools/list', params }, ResultSchema, {
          timeout: listMs,
          signal,
        });
        if (Array.isArray(result.tools))
          tools.push(...result.tools.filter(isRecord).slice(0, mostTools - tools.length));
        const next = result.nextCursor;
        if (typeof next !== 'string' || next === '' || next === cursor || tools.length >= mostTools) break;
        cursor = next;
      }
      return tools;
    },
    async call(name, args, { signal: cancelled, timeoutMs, onProgress }) {
      try {
        return await client.request({ method: 'tools/call', params: { name, arguments: args } }, ResultSchema, {
          signal: cancelled,
          timeout: timeoutMs,
          onprogress: onProgress,
        });
      } catch (error) {
        cancelled.throwIfAborted();
        if (isAnswer(error)) throw error;
        void check();
        if (isTimeout(error)) throw new Error(`It did not answer within ${timeoutMs} ms.`);
        throw hasEnded ? new Error(`It ended during the call. ${await ended}`) : error;
      }
    },
  };
}

interface Wire {
  transport: Transport;
  pid?: () => number | undefined;
  lastWords?: () => string;
}

async function createTransport(definition: ServerDefinition, { log, marker, guard }: LinkOptions): Promise<Wire> {
  if (definition.kind === 'http') {
    const transport = await createHttpTransport(definition.url, definition.headers);
    // The SDK declares `sessionId` without `undefined`.
    return { transport: transport as Transport };
  }
  const transport = createStdioTransport(await prepareProgram(definition, { marker, guard }), log);
  return { transport, pid: () => transport.pid, lastWords: transport.lastWords };
}

// The SDK's errors have a `code` of JSON-RPC; these two are its own.
const closedCode = -32_000;
const timeoutCode = -32_001;

function isClosed(error: unknown): boolean {
  return Object(error).code === closedCode && /closed/i.test(messageOf(error));
}

function isTimeout(error: unknown): boolean {
  return Object(error).code === timeoutCode && /timed out/i.test(messageOf(error));
}

/** The server itself answered with an error. */
function isAnswer(error: unknown): boolean {
  const { name, code } = Object(error) as { name?: unknown; code?: unknown };
  return name === 'McpError' && typeof code === 'number' && !isClosed(error) && !isTimeout(error);
}
