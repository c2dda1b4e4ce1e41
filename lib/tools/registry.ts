import type { Undo } from '../base/clock.ts';
import type { ToolSchema } from '../wire/tool.ts';
import type { Tool } from './tool.ts';

export interface ToolRegistry {
  /** Throws when the name is taken or is not `[A-Za-z0-9_-]{1,64}` (what every provider accepts), and when a part of the tool is missing. */
  register(tool: Tool): Undo;
  get(name: string): Tool | undefined;
  /** In the order of registration; the same list until a tool comes or goes, so that what is made of it can be kept. */
  schemas(): readonly ToolSchema[];
}

/** An empty registry. */
export function createToolRegistry(): ToolRegistry {
  const tools = new Map<string, Tool>();
  let schemas: readonly ToolSchema[] | undefined;
  return {
    register(tool) {
      if (typeof tool.name !== 'string' || !/^[A-Za-z0-9_-]{1,64}$/.test(tool.name))
        throw new Error(`"${tool.name}" is no tool name: use 1 to 64 letters, digits, _ or -.`);
      checkParts(tool);
      if (tools.has(tool.name)) throw new Error(`A tool with the name "${tool.name}" is already registered.`);
      tools.set(tool.name, tool);
      schemas = undefined;
      return () => {
        if (tools.get(tool.name) !== tool) return;
        tools.delete(tool.name);
        schemas = undefined;
      };
    },
    get: (name) => tools.get(name),
    schemas: () => (schemas ??= [...tools.values()].map(schemaOf)),
  };
}

/** Plugins in plain JavaScript have no compiler that tells them, and a run would meet it much later. */
function checkParts({ name, description, parameters, permission, execute }: Partial<Tool>): void {
  if (typeof description !== 'string')
    throw new Error(`The tool "${name}" has no \`description\`: a text that tells the model what it does.`);
  if (typeof parameters !== 'object' || parameters === null)
    throw new Error(`The tool "${name}" has no \`parameters\`: the JSON Schema of an object.`);
  if (permission !== undefined && permission !== 'auto' && permission !== 'ask')
    throw new Error(`The tool "${name}": \`permission\` must be "auto" or "ask".`);
  if (typeof execute !== 'function') throw new Error(`The tool "${name}" has no \`execute\` function.`);
}

function schemaOf(tool: Tool): ToolSchema {
  const { name, description, parameters, permission, category } = tool;
  return {
    name,
    description,
    parameters,
    permission: permission ?? 'auto',
    ...(category === undefined ? {} : { category }),
  };
}
