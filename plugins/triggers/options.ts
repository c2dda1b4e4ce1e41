import {
  array,
  boolean,
  defaulted,
  enums,
  type Infer,
  integer,
  nonempty,
  object,
  optional,
  pattern,
  record,
  size,
  string,
} from '../../lib/plugin-api/index.ts';

/** A segment of a path that needs no encoding. */
const id = pattern(string(), /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/);

const common = {
  /** A template: see template.ts. */
  prompt: nonempty(string()),
  /** Of the sessions. Default: the first line of their prompt. */
  title: optional(size(nonempty(string()), 1, 200)),
  model: optional(nonempty(string())),
  /** A directory; a relative one is relative to the working directory of the service. */
  workspace: optional(nonempty(string())),
  /** Whose sessions they are. Default: the tenant of the caller of a hook that takes a credential, otherwise `default`. */
  tenant: optional(pattern(string(), /^[a-z0-9-]{1,64}$/)),
};

const webhook = object({
  ...common,
  /** `${NAME}` stands for a variable of the environment. */
  secret: optional(string()),
  /** Answers without the service's own authentication; takes a secret. */
  public: defaulted(boolean(), false),
  /** The sender signs the body with the secret instead of sending it. */
  signature: optional(
    object({
      header: pattern(string(), /^[A-Za-z0-9-]{1,100}$/),
      algorithm: defaulted(enums(['sha256']), 'sha256'),
    }),
  ),
});

const schedule = object({ ...common, id, cron: nonempty(string()) });

export const Options = object({
  webhooks: defaulted(record(id, webhook), {}),
  schedules: defaulted(array(schedule), []),
  /** How long the scheduler sleeps at most, in milliseconds; it also wakes at the turn of a minute. */
  tickMs: defaulted(integer(), 30_000),
});

export type WebhookOptions = Infer<typeof webhook>;
export type ScheduleOptions = Infer<typeof schedule>;
