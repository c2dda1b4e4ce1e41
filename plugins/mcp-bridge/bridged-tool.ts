import type { Clock, Tool, ToolContext } from '../../lib/plugin-api/index.ts';
import { messageOf, visible } from '../../lib/plugin-api/index.ts';
import type { Connection } from './connection.ts';
import type { ServerDefinition } from './definition.ts';
import type { FirstUse } from './first-use.ts';
import type { RemoteTool } from './remote-tool.ts';
import { readResult } from './tool-result.ts';

const noticeEveryMs = 1_000;

export interface BridgedToolOptions {
  connection: Connection;
  firstUse: FirstUse;
  clock: Clock;
}

/**
 * A tool of a server as a tool of the service. Once it is not what the tenant first used, every call asks, whatever
 * `approval` says, until a person has approved one.
 */
export function createBridgedTool(
  remote: RemoteTool,
  server: ServerDefinition,
  { connection, firstUse, clock }: BridgedToolOptions,
): Tool {
  const { name, remoteName, description, parameters } = remote;
  const changed = (tenantId: string): boolean => firstUse.hasChanged(tenantId, remote);
  const changedText = `The MCP server "${server.name}" has changed what its tool "${visible(remoteName)}" is since it was first used.`;
  return {
    name,
    description,
    parameters,
    category: `mcp:${server.name}`,
    permission: server.approval,
    permissionFor: (_args, { tenantId }) => (changed(tenantId) ? 'ask' : server.approval),
    describe(args, session) {
      const call = `Call "${visible(remoteName)}" of the MCP server "${server.name}" with ${shown(args)}`;
      return session && changed(session.tenantId) ? `${changedText} ${call}` : call;
    },
    async execute(args, { session, signal, approved, notify }) {
      if (changed(session.tenantId)) {
        // It may have changed between the decision and now.
        if (!approved) throw new Error(`${changedText} Call it again, so that a person can decide.`);
        notify(changedText);
      }
      firstUse.accept(session.tenantId, remote);
      const progress = progressNotices(remote, { notify, clock });
      const result = await connection
        .call(remoteName, args, { signal, timeoutMs: server.timeoutMs, onProgress: progress })
        .catch((error: unknown) => {
          signal.throwIfAborted();
          throw new Error(`MCP server "${server.name}": ${messageOf(error)}`);
        });
      return readResult(result);
    },
  };
}

/** One notice a second at most. */
function progressNotices(
  { name }: RemoteTool,
  { notify, clock }: { notify: ToolContext['notify']; clock: Clock },
): (progress: { progress: number; total?: number | undefined; message?: string | undefined }) => void {
  let last = Number.NEGATIVE_INFINITY;
  return ({ progress, total, message }) => {
    const now = clock.monotonic();
    if (now - last < noticeEveryMs) return;
    last = now;
    const count = total === undefined ? `${progress}` : `${progress} of ${total}`;
    notify(`${name}: ${message ? `${visible(message).slice(0, 200)} (${count})` : count}`);
  };
}

function shown(args: Record<string, unknown>): string {
  const text = visible(JSON.stringify(args));
  return text.length > 2_000 ? `${text.slice(0, 2_000)}...` : text;
}
