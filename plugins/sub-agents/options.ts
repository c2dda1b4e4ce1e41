import {
  boolean,
  defaulted,
  type Infer,
  integer,
  max,
  min,
  object,
  pattern,
  record,
  string,
} from '../../lib/plugin-api/index.ts';
import { configuredRole } from './roles.ts';

const atLeast = (least: number) => min(integer(), least);
const roleName = pattern(string(), /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/);

export const Options = object({
  /** How many levels below a session that a person started. 0 leaves the tools out. */
  maxDepth: defaulted(max(atLeast(0), 16), 2),
  /** Children that run at the same time in the whole service; 0 sets no bound. Who waits for children is not counted. */
  maxConcurrent: defaulted(atLeast(0), 3),
  /** Tasks of one `delegate_many`. */
  maxFanOut: defaulted(max(atLeast(1), 100), 6),
  maxBatchResultChars: defaulted(atLeast(1), 40_000),
  /** Model calls of a child's run. */
  maxSteps: defaulted(atLeast(1), 12),
  /** Counted from the start of the child's run, not while it waits for its turn. */
  timeoutMs: defaulted(atLeast(1), 600_000),
  maxResultChars: defaulted(atLeast(1), 20_000),
  /** True: children may use tools that wait for a person's approval. */
  exposeApprovalTools: defaulted(boolean(), false),
  /** Added to the built-in ones; one of the same name replaces it. */
  roles: defaulted(record(roleName, configuredRole), {}),
});

export type Options = Infer<typeof Options>;
