import type { AuthService } from './auth/accounts-admin.ts';
import type { Clock } from './base/clock.ts';
import type { Logger } from './base/log.ts';
import type { Checkpointer } from './checkpoints/checkpointer.ts';
import type { Config } from './config/config.ts';
import type { EventBus } from './events/event-bus.ts';
import type { RouteRegistry } from './http/route-registry.ts';
import type { ModelRegistry } from './models/registry.ts';
import type { PluginHost } from './plugins/plugin-host.ts';
import type { Approvals } from './run/approvals.ts';
import type { Runs } from './run/runs.ts';
import type { Prompts } from './run/system-prompt.ts';
import type { Guards } from './service/guards.ts';
import type { Metrics } from './service/metrics.ts';
import type { Search } from './service/search.ts';
import type { Sessions } from './session/sessions.ts';
import type { SummaryList } from './session/summary.ts';
import type { SessionStore } from './store/session-store.ts';
import type { ToolRegistry } from './tools/registry.ts';
import type { IdSource } from './wire/ids.ts';
import type { Workspaces } from './workspace/workspace.ts';

/**
 * Everything that lives, built once by the host. Types only: a verb takes the slice it touches, for example
 * `Pick<App, 'runs' | 'guards'>`, so its signature says what it can change.
 */
export interface App {
  readonly version: string;
  readonly startedAt: number;
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Logger;
  /** Takes the service's own secrets out of a text that leaves it; see `SecretRegistry.hide`. */
  readonly hideSecrets: (text: string) => string;
  readonly newId: IdSource;
  readonly auth: AuthService;
  readonly store: SessionStore;
  readonly events: EventBus;
  readonly sessions: Sessions;
  readonly runs: Runs;
  readonly approvals: Approvals;
  readonly models: ModelRegistry;
  readonly tools: ToolRegistry;
  readonly guards: Guards;
  readonly prompts: Prompts;
  readonly routes: RouteRegistry;
  readonly plugins: PluginHost;
  readonly workspaces: Workspaces;
  readonly checkpoints: Checkpointer;
  /** The JSON of a list of summaries, serialised once per change. */
  readonly summaries: SummaryList;
  readonly search: Search;
  readonly metrics: Metrics;
  /** Refuses what would begin; then stops runs, streams, plugins and the store, in that order. Idempotent. */
  close(): Promise<void>;
}
