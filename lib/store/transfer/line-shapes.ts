import {
  array,
  boolean,
  enums,
  integer,
  literal,
  max,
  min,
  number,
  optional,
  pattern,
  record,
  refine,
  type Struct,
  size,
  string,
  type,
  unknown,
} from 'superstruct';
import { imageMimeTypes } from '../../wire/message.ts';
import { sessionStatuses } from '../../wire/session.ts';

const count = () => min(integer(), 0);
const tokens = () => max(min(number(), 0), Number.MAX_SAFE_INTEGER);
/** Ids become names of files. */
const id = () => pattern(string(), /^[A-Za-z0-9_-][A-Za-z0-9._@-]{0,127}$/);
/** As the service writes times itself: what is changed later must come behind it. */
const time = () =>
  refine(
    pattern(string(), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    'time',
    (text) => !Number.isNaN(Date.parse(text)),
  );
const hash = () => pattern(string(), /^[0-9a-f]{64}$/);

const session = type({
  id: id(),
  title: string(),
  createdAt: time(),
  updatedAt: time(),
  status: enums(sessionStatuses),
  model: string(),
  messageCount: count(),
  workspace: pattern(string(), /^\//),
  usage: type({
    inputTokens: tokens(),
    outputTokens: tokens(),
    totalTokens: tokens(),
    cachedInputTokens: optional(tokens()),
    reasoningTokens: optional(tokens()),
  }),
  tenantId: id(),
  rootId: string(),
  titled: boolean(),
  parentId: optional(string()),
  depth: optional(count()),
  role: optional(string()),
  systemPrompt: optional(string()),
});

const message = type({
  id: string(),
  role: enums(['system', 'user', 'assistant', 'tool']),
  content: string(),
  createdAt: time(),
  reasoning: optional(string()),
  toolCalls: optional(array(type({ id: string(), name: string(), arguments: record(string(), unknown()) }))),
  toolCallId: optional(string()),
  toolName: optional(string()),
  isError: optional(boolean()),
  model: optional(string()),
  hidden: optional(boolean()),
  meta: optional(record(string(), unknown())),
  images: optional(
    array(type({ mimeType: enums(imageMimeTypes), name: optional(string()), hash: hash(), bytes: count() })),
  ),
});

const shapes: Record<string, Struct<never, unknown>> = {
  export: erased(type({ version: literal(1), product: string(), driver: string(), at: string() })),
  session: erased(type({ record: session })),
  image: erased(type({ session: id(), hash: hash(), data: string() })),
  message: erased(type({ session: id(), message })),
  value: erased(type({ key: id(), value: size(string(), 0, 64 * 1024) })),
  accounts: erased(type({ content: unknown() })),
  end: erased(type({ sessions: count(), images: count(), messages: count() })),
};

/**
 * What is wrong with the fields of a line, in words; undefined when it is as it must be. Never repeats a value. Throws
 * an Error named `LaterFormat` for the head of an export that a later release wrote.
 */
export function faultOf(line: Record<string, unknown>): string | undefined {
  const kind = typeof line.kind === 'string' ? line.kind : '';
  const shape = Object.hasOwn(shapes, kind) ? shapes[kind] : undefined;
  if (!shape) return `"kind" must be one of ${Object.keys(shapes).join(', ')}`;
  if (kind === 'export' && Number(line.version) > 1)
    throw Object.assign(new Error('it is of a later version of the format'), { name: 'LaterFormat' });
  const [failure] = shape.validate(line);
  if (!failure) return undefined;
  return `"${failure.path.join('.')}" must be of type ${failure.type}`;
}

function erased<T, S>(struct: Struct<T, S>): Struct<never, unknown> {
  return struct as unknown as Struct<never, unknown>;
}
