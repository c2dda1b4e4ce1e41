export type ToolPermission = 'auto' | 'ask';

/** JSON Schema of a tool's arguments; always an object schema. */
export type JsonSchema = { readonly [key: string]: unknown };

/** Contract: ToolSchema. */
export interface ToolSchema {
  name: string;
  description: string;
  parameters: JsonSchema;
  permission?: ToolPermission;
  category?: string;
}
