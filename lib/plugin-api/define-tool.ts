import { object, type Struct } from 'superstruct';
import type { StructLike } from '../tools/fields.ts';
import { objectSchema } from '../tools/json-schema.ts';
import type { Tool, ToolContext, ToolOutput } from '../tools/tool.ts';
import type { ToolPermission } from '../wire/tool.ts';

export type ToolFields = Readonly<Record<string, StructLike>>;

type OptionalNames<Fields extends ToolFields> = {
  [K in keyof Fields]: undefined extends Fields[K]['TYPE'] ? K : never;
}[keyof Fields];

/** The arguments of a tool with these fields; defaults are filled in. */
export type ToolArguments<Fields extends ToolFields> = {
  [K in Exclude<keyof Fields, OptionalNames<Fields>>]: Fields[K]['TYPE'];
} & { [K in OptionalNames<Fields>]?: Fields[K]['TYPE'] };

export interface ToolDefinition<Fields extends ToolFields> {
  /** 1 to 64 letters, digits, `_` or `-`. */
  name: string;
  /** For the model: what it does and when to use it. */
  description: string;
  /** Default `auto`. */
  permission?: ToolPermission;
  category?: string;
  parameters: Fields;
  /** One line for the person who approves. */
  describe?(args: ToolArguments<Fields>): string;
  permissionFor?(args: ToolArguments<Fields>, session: ToolContext['session']): ToolPermission;
  execute(args: ToolArguments<Fields>, context: ToolContext): Promise<ToolOutput> | ToolOutput;
}

/**
 * A tool whose parameters are superstruct fields: the JSON Schema for the model, the types of `execute` and the defaults
 * all come from them. Throws when a field can't be described as JSON Schema.
 */
export function defineTool<Fields extends ToolFields>(definition: ToolDefinition<Fields>): Tool {
  const { name, description, permission, category, parameters, describe, permissionFor, execute } = definition;
  const struct = object(parameters as unknown as Record<string, Struct>);
  const parse = (args: Record<string, unknown>): ToolArguments<Fields> => struct.create(args) as ToolArguments<Fields>;
  return {
    name,
    description,
    parameters: objectSchema(parameters),
    ...(permission === undefined ? {} : { permission }),
    ...(category === undefined ? {} : { category }),
    ...(describe === undefined ? {} : { describe: (args) => describe(parse(args)) }),
    ...(permissionFor === undefined ? {} : { permissionFor: (args, session) => permissionFor(parse(args), session) }),
    execute: async (args, context) => execute(parse(args), context),
  };
}
