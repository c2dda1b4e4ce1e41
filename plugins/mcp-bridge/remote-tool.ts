import { createHash } from 'node:crypto';
import { type JsonRecord, type JsonSchema, messageOf, recordOf, textOf, visible } from '../../lib/plugin-api/index.ts';

/** A tool as a server describes it, checked and bounded. */
export interface RemoteTool {
  /** What the server calls it. */
  remoteName: string;
  /** What models call it: `mcp__<server>__<tool>`. */
  name: string;
  description: string;
  parameters: JsonSchema;
  /** Changes with anything that a model or a person decides by. */
  fingerprint: string;
}

export interface RefusedTool {
  name: string;
  reason: string;
}

const longestName = 64;
const longestDescription = 4_000;
const largestSchema = 65_536;
const deepestSchema = 48;

/** Reads the tools of a server. What can't be offered is refused with a reason, and stops no other tool. */
export function readTools(
  server: string,
  list: readonly JsonRecord[],
): { tools: RemoteTool[]; refused: RefusedTool[] } {
  const tools = new Map<string, RemoteTool>();
  const refused: RefusedTool[] = [];
  for (const entry of list) {
    const remoteName = textOf(entry.name);
    try {
      const tool = readTool(server, remoteName, entry);
      const taken = tools.get(tool.name);
      if (taken) throw new Error(`its name becomes ${tool.name}, as that of "${clip(taken.remoteName)}" does`);
      tools.set(tool.name, tool);
    } catch (error) {
      refused.push({ name: clip(remoteName), reason: messageOf(error) });
    }
  }
  return { tools: [...tools.values()], refused };
}

function readTool(server: string, remoteName: string, entry: JsonRecord): RemoteTool {
  if (remoteName === '') throw new Error('it has no name');
  if (recordOf(entry.execution).taskSupport === 'required')
    throw new Error('it works only as a task, which is not supported');
  const schema = recordOf(entry.inputSchema);
  if (schema.type !== 'object') throw new Error('its "inputSchema" does not describe an object');
  if (depthOf(schema, deepestSchema) > deepestSchema) throw new Error('its "inputSchema" is nested too deeply');
  const size = JSON.stringify(schema).length;
  if (size > largestSchema) throw new Error(`its "inputSchema" has ${size} characters, over ${largestSchema}`);
  const title = textOf(entry.title);
  const description = textOf(entry.description) || title || `The tool ${clip(remoteName)} of the MCP server ${server}.`;
  return {
    remoteName,
    name: toolName(server, remoteName),
    description: readable(description, longestDescription),
    parameters: schema,
    fingerprint: fingerprintOf([remoteName, textOf(entry.description), title, schema]),
  };
}

/** Characters that providers refuse become `_`; a name that is too long keeps its beginning and gets a mark of its own. */
function toolName(server: string, remoteName: string): string {
  const name = `mcp__${server}__${remoteName.replace(/[^A-Za-z0-9_-]/g, '_')}`;
  if (name.length <= longestName) return name;
  return `${name.slice(0, longestName - 9)}_${fingerprintOf(remoteName).slice(0, 8)}`;
}

/** The same for the same content, whatever the order of keys. */
function fingerprintOf(value: unknown): string {
  const sorted = (_: string, part: unknown): unknown =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part;
  return createHash('sha256').update(JSON.stringify(value, sorted)).digest('hex').slice(0, 32);
}

/** Up to one level more than `most`; never goes deeper itself. */
function depthOf(value: unknown, most: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (most < 0) return 1;
  return 1 + Math.max(0, ...Object.values(value).map((part) => depthOf(part, most - 1)));
}

/** Bounded, and without characters that a model reads and a person does not see. */
function readable(text: string, most: number): string {
  const shown = visible(text.length > most ? `${text.slice(0, most)}...` : text);
  return shown.length > most + 3 ? `${shown.slice(0, most)}...` : shown;
}

function clip(name: string): string {
  return readable(name.replaceAll('\n', ' '), 100);
}
