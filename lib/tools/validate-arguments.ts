import { type Context, createContext, Script } from 'node:vm';
import type { OutputUnit, SchemaDraft, Validator } from '@cfworker/json-schema';
import type { JsonSchema } from '../wire/tool.ts';
import { tameSchema } from './tame-schema.ts';

/** The first thing that is wrong with the arguments, for the model that wrote them; undefined when nothing is. */
export type ArgumentValidator = (
  tool: { readonly name: string; readonly parameters: JsonSchema },
  args: unknown,
) => Promise<string | undefined>;

type Check = (args: unknown) => string | undefined;

const longestCheckMs = 50;

/**
 * Makes the check of tool arguments against `tool.parameters` (JSON Schema; draft by `$schema`, otherwise 2020-12).
 * A schema is compiled at its first use and kept as long as the tool lives; the library is loaded at the first call.
 *
 * Schemas come from strangers (MCP servers) and so may try to hold the process: their size and depth are bounded, and
 * what nobody can foresee the cost of (regular expressions, references, large schemas or arguments) is evaluated under a
 * time limit of 50 ms (about 0.06 ms of overhead per call; others pay nothing). A schema that can't be evaluated refuses
 * the call: arguments that were not checked are never executed. Never rejects.
 */
export function createArgumentValidator(): ArgumentValidator {
  const checks = new WeakMap<JsonSchema, Check>();
  const sandbox = createSandbox();
  return async (tool, args) => {
    let check = checks.get(tool.parameters);
    if (check === undefined) {
      check = await compile(tool.parameters, sandbox);
      checks.set(tool.parameters, check);
    }
    return check(args);
  };
}

async function compile(parameters: JsonSchema, withinTime: Sandbox): Promise<Check> {
  let validator: Validator;
  let costly: boolean;
  try {
    const tamed = tameSchema(parameters);
    costly = tamed.costly;
    const library = await import('@cfworker/json-schema');
    validator = new library.Validator(tamed.schema, draftOf(tamed.schema), true);
  } catch (error) {
    const problem = `The tool can't be called: its parameter schema is unusable (${reasonOf(error)}).`;
    return () => problem;
  }
  const validate = (args: unknown): OutputUnit[] => validator.validate(args).errors;
  return (args) => {
    if (typeof args !== 'object' || args === null || Array.isArray(args)) return 'The arguments must be a JSON object.';
    try {
      return describeFailure(costly || isLarge(args) ? withinTime(() => validate(args)) : validate(args));
    } catch (error) {
      return `The arguments could not be checked against the tool's parameter schema (${reasonOf(error)}).`;
    }
  };
}

/** Over 1,000 values, at whatever depth. */
function isLarge(args: object): boolean {
  const rest: unknown[] = [args];
  for (let count = 0; rest.length > 0; count++) {
    if (count + rest.length > 1_000) return true;
    const value = rest.pop();
    if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) rest.push(part);
  }
  return false;
}

type Sandbox = <T>(task: () => T) => T;

/**
 * Runs a task in the engine's watchdog: it ends also in the middle of a regular expression. The context is made once,
 * when needed.
 */
function createSandbox(): Sandbox {
  let context: Context | undefined;
  let script: Script | undefined;
  return <T>(task: () => T): T => {
    context ??= createContext({});
    script ??= new Script('task()');
    let result: { value: T } | undefined;
    context.task = () => {
      result = { value: task() };
    };
    try {
      script.runInContext(context, { timeout: longestCheckMs });
    } finally {
      context.task = undefined;
    }
    if (result === undefined) throw new Error('the check did not run');
    return result.value;
  };
}

function draftOf(schema: Readonly<Record<string, unknown>>): SchemaDraft {
  const uri = typeof schema.$schema === 'string' ? schema.$schema : '';
  if (uri.includes('draft-04')) return '4';
  if (uri.includes('draft-06') || uri.includes('draft-07')) return '7';
  return uri.includes('2019-09') ? '2019-09' : '2020-12';
}

/** Keywords whose failure only says that something inside them failed. */
const wrappers = new Set(['properties', 'items', 'prefixItems', 'additionalItems', '$ref', '$recursiveRef', 'allOf']);
const inner = new Set([...wrappers, 'then', 'else', 'patternProperties', 'unevaluatedItems', 'dependentSchemas']);

function describeFailure(errors: readonly OutputUnit[]): string | undefined {
  const first = errors.find((error) => !inner.has(error.keyword)) ?? errors.at(-1);
  if (first === undefined) return undefined;
  const where = readablePath(first.instanceLocation);
  if (/additionalProperties|unevaluatedProperties/.test(first.keyword)) {
    const name = /"(.*)"/s.exec(first.error)?.[1] ?? '';
    return `${where}: there is no property "${clip(name)}" here.`;
  }
  return clip(
    `${where}: ${first.error.replace(/^Instance (type "\w+" is invalid)/, '$1').replace(/^Instance/, 'The value')}`,
  );
}

function readablePath(pointer: string): string {
  const steps = pointer
    .split('/')
    .slice(1)
    .map((step) => decodeURI(step).replaceAll('~1', '/').replaceAll('~0', '~'));
  if (steps.length === 0) return 'arguments';
  return clip(steps.map((step, at) => (/^\d+$/.test(step) ? `[${step}]` : at === 0 ? step : `.${step}`)).join(''));
}

function clip(text: string): string {
  return text.length > 500 ? `${text.slice(0, 500)}...` : text;
}

/** The watchdog's error comes from another realm, where `instanceof` knows nothing. */
function reasonOf(error: unknown): string {
  const { code, message } = Object(error) as Partial<NodeJS.ErrnoException>;
  if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return `it took over ${longestCheckMs} ms`;
  if (error instanceof RangeError) return 'it refers to itself without end';
  return clip(String(message).split('\n', 1)[0] ?? '');
}
