import type { Clock } from '../base/clock.ts';
import { isoTime } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import type { Config } from '../config/config.ts';
import type { Model, ModelToolCall } from '../models/model.ts';
import type { ModelRegistry } from '../models/registry.ts';
import type { Session } from '../session/session.ts';
import type { SessionStore } from '../store/session-store.ts';
import type { ToolRegistry } from '../tools/registry.ts';
import type { ArgumentValidator } from '../tools/validate-arguments.ts';
import type { Activity, ActivityPhase } from '../wire/activity.ts';
import type { NoticeLevel, SessionEvent } from '../wire/event.ts';
import type { IdSource } from '../wire/ids.ts';
import type { ChatMessage, MessageRole, StoredMessage } from '../wire/message.ts';
import { addUsage, noUsage, type Usage } from '../wire/usage.ts';
import type { Workspace, Workspaces } from '../workspace/workspace.ts';
import type { Approvals } from './approvals.ts';
import type { Estimator } from './estimate.ts';
import type { RunMeter } from './run-meter.ts';
import type { RunOutcome } from './runs.ts';
import type { Prompts } from './system-prompt.ts';

/** What every run uses; built once by the host. */
export interface RunSurroundings {
  clock: Clock;
  log: Logger;
  /**
   * See `SecretRegistry.hide`. Applied to what comes from outside: results of tools, failures, notices, plugins'
   * prompts; never to deltas.
   */
  hideSecrets: (text: string) => string;
  newId: IdSource;
  config: Pick<Config, 'model' | 'agent' | 'approvals'>;
  store: SessionStore;
  models: ModelRegistry;
  tools: ToolRegistry;
  workspaces: Workspaces;
  approvals: Approvals;
  prompts: Prompts;
  estimator: Estimator;
  validateArguments: ArgumentValidator;
  meter: RunMeter;
}

/**
 * Why a run was told to stop. `cancelled` is a person's wish, `stopped` the end of the process, `void` leaves no trace
 * (deleted, or never accepted).
 */
export type StopReason = 'cancelled' | 'stopped' | 'void';

/** A per-run limit other than the configured one, and the tools it may use; for sub-agents. */
export interface RunLimits {
  maxSteps?: number;
  toolNames?: ReadonlySet<string>;
  instructions?: string;
}

/** What a reservation is for. */
export interface ClaimOptions extends RunLimits {
  /** The run continues one that was interrupted. */
  resumed?: boolean;
  /** For a change that is no run (a rewind, a restore, a repair): there is nothing in it to cancel. */
  isChange?: boolean;
}

/** One run: what it knows and how it speaks. The loop is in run-loop.ts. */
export class Run {
  readonly id: string;
  readonly maxSteps: number;
  usage: Usage = noUsage;
  /** Set once; the run's signal aborts with it. */
  stopReason: StopReason | undefined;
  /** Set with the terminal transition: nothing of the run is published after its end. */
  ended = false;
  /** The reply that ends the run, stored together with that end. */
  lastReply: { message: StoredMessage; usage: Usage } | undefined;
  /** Resolves when the record of the run's start is durable; rejects when it can't be. */
  accepted: Promise<void> = Promise.resolve();
  /** Resolves when the run is over, with what it came to; undefined when it left no trace. Never rejects. */
  outcome: Promise<RunOutcome | undefined> = Promise.resolve(undefined);
  /** Resolves when the snapshot before the message is taken, and hurries it: asked for before the first tool. Never rejects. */
  checkpoint: (() => Promise<void>) | undefined;
  /** The plugins' parts of the system prompt, once asked. */
  pluginPrompts: string[] | undefined;
  /** What it is doing, for summaries; see {@link enter}. */
  activity: Activity;
  /** The reply that is being streamed, as far as it was published. */
  streaming: (() => ChatMessage | undefined) | undefined;
  /** A transcript that had to be repaired was logged. */
  repairNoted = false;
  /** Compactions of this run that came to nothing. */
  failedCompactions = 0;
  private readonly controller = new AbortController();
  private workspace: Promise<Workspace> | undefined;
  private callIds: Set<string> | undefined;

  constructor(
    readonly session: Session,
    readonly around: RunSurroundings,
    readonly limits: ClaimOptions = {},
  ) {
    this.id = around.newId('run');
    this.activity = { phase: 'starting', since: isoTime(around.clock.now()) };
    this.maxSteps = limits.maxSteps ?? around.config.model.maxSteps;
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** The session's model, or an error that names it and the way out. */
  get model(): Model {
    const { model } = this.session.record;
    const found = this.around.models.get(model);
    if (found) return found;
    throw new Error(missingModel(model));
  }

  /** True for the first call only, and never for the cancellation of what is no run. */
  stop(reason: StopReason): boolean {
    if (this.stopReason || (reason === 'cancelled' && this.limits.isChange)) return false;
    this.stopReason = reason;
    this.controller.abort(new RunStopped(reason));
    return true;
  }

  /** The session's workspace, opened by the first tool call that gets it. Rejects when it is no directory (any more). */
  openWorkspace(): Promise<Workspace> {
    if (this.workspace) return this.workspace;
    const opening = this.around.workspaces.open(this.session.record.workspace);
    this.workspace = opening;
    opening.catch(() => {
      this.workspace = undefined;
    });
    return opening;
  }

  publish(event: SessionEvent, options?: { atOnce?: boolean }): void {
    if (!this.ended && this.stopReason !== 'void') this.session.publish(event, options);
  }

  notice(level: NoticeLevel, message: string): void {
    const text = this.around.hideSecrets(message);
    this.publish({ type: 'notice', level, message: text, sessionId: this.session.id });
  }

  /** Notes what the run is doing from now on. Cheap when nothing changes: it is called for every delta. */
  enter(phase: ActivityPhase, fields: Pick<Activity, 'tool' | 'approvalId'> = {}): void {
    if (this.activity.phase === phase && this.activity.tool === fields.tool) return;
    this.activity = { phase, since: isoTime(this.around.clock.now()), ...fields };
  }

  /** Adds to the run's usage; the result is what the session's comes to. */
  countUsage(usage: Usage | undefined): Usage {
    if (usage) {
      this.usage = addUsage(this.usage, usage);
      this.around.meter.used(usage);
    }
    return usage ? addUsage(this.session.record.usage, usage) : this.session.record.usage;
  }

  /** Counts and stores the usage of a model call that leaves no message. */
  async addUsage(usage: Usage | undefined): Promise<void> {
    if (!usage) return;
    await this.accepted;
    await this.session.commit({ kind: 'updated', fields: { usage: this.countUsage(usage) } });
  }

  /** Gives a new id to every call whose id is empty or was used before in this session: results and events are found by it. */
  withUniqueIds(calls: readonly ModelToolCall[]): ModelToolCall[] {
    if (calls.length === 0) return [];
    this.callIds ??= new Set(
      this.session.messages.flatMap((message) => message.toolCalls?.map((call) => call.id) ?? []),
    );
    const seen = this.callIds;
    return calls.map((call) => {
      const id = call.id === '' || seen.has(call.id) ? `call_${this.around.newId('run').slice(4)}` : call.id;
      seen.add(id);
      return id === call.id ? call : { ...call, id };
    });
  }

  newMessage(role: MessageRole, fields: Partial<StoredMessage> & { content: string }): StoredMessage {
    const { newId, clock } = this.around;
    return { id: newId('msg'), role, createdAt: isoTime(clock.now()), ...fields };
  }
}

/** The sentence for a session whose model is not there; it has none when nothing was registered at its creation. */
export function missingModel(model: string): string {
  const what = model === '' ? 'This session has no model' : `The model "${model}" is not registered (any more)`;
  return `${what}. Choose one for this session with PATCH; GET /api/bootstrap lists them.`;
}

/** The reason of a run's aborted signal. */
class RunStopped extends Error {
  override readonly name = 'RunStopped';
  constructor(readonly reason: StopReason) {
    super(`The run was ${reason}.`);
  }
}
