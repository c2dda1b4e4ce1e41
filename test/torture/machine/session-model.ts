import type { MessageRole } from '../../../lib/wire/message.ts';
import type { SessionStatus } from '../../../lib/wire/session.ts';
import { callings, type Kind, toolsOf } from './provider.ts';
import { approvalTimeoutMs, keepRecent, maxSteps, retryAttempts } from './world-options.ts';

/** What an active run waits for. */
export type Rest = 'model' | 'retry' | 'tool' | 'approval';

interface RunModel {
  /** The kinds of the model calls to come. */
  kinds: Kind[];
  steps: number;
  /** Failed attempts at the present step. */
  attempts: number;
  /** Tools of the last reply without a result yet, the next one first. */
  calls: string[];
  rest: Rest;
  /** A part of the present reply was streamed. */
  streamed: boolean;
  expiresAt: number;
}

/** What the contract says a session is, for one that is driven step by step. No code of the service takes part. */
export class SessionModel {
  status: SessionStatus = 'idle';
  roles: MessageRole[] = [];
  titled = false;
  deleted = false;
  run: RunModel | undefined;
  /** Calls of the last reply that a crash left without a result. */
  open = 0;

  constructor(
    readonly id: string,
    readonly tenantId: 'a' | 'b',
    private readonly now: () => number,
  ) {}

  get busy(): boolean {
    return this.run !== undefined;
  }

  get resumable(): boolean {
    return !this.deleted && !this.busy && (this.status === 'interrupted' || this.status === 'error');
  }

  get pendingApprovals(): number {
    return this.run?.rest === 'approval' ? 1 : 0;
  }

  /** A message or a resume was accepted. */
  start(kinds: readonly Kind[], withMessage: boolean): void {
    this.repair();
    if (withMessage) this.roles.push('user');
    this.status = 'running';
    const fresh = { steps: 0, attempts: 0, calls: [], rest: 'model', streamed: false, expiresAt: 0 } as const;
    this.run = { ...fresh, calls: [], kinds: [...kinds] };
    this.goOn();
  }

  /** Calls without a result get one. */
  repair(): void {
    for (; this.open > 0; this.open--) this.roles.push('tool');
  }

  /** The model call that waits goes on as `kind`. */
  releaseModel(kind: Kind): void {
    this.run?.kinds.unshift(kind);
    this.goOn(true);
  }

  /** The tool that waits, slow or asking, has its result. */
  finishCall(): void {
    this.run?.calls.shift();
    this.roles.push('tool');
    this.goOn();
  }

  /** Time has passed: retries are made, approvals time out. */
  tick(): void {
    if (this.run?.rest === 'retry') this.goOn(true);
    else if (this.run?.rest === 'approval' && this.run.expiresAt <= this.now()) this.finishCall();
  }

  cancel(): void {
    const { run } = this;
    if (!run) return;
    if (run.streamed) this.roles.push('assistant');
    for (const _ of run.calls) this.roles.push('tool');
    this.end('cancelled');
  }

  crash(): void {
    if (!this.run) return;
    this.open = this.run.calls.length;
    this.end('interrupted');
  }

  /** Drops the message at this index and all behind it. */
  rewind(index: number): void {
    this.roles.length = index;
    this.open = 0;
    this.status = 'idle';
  }

  /** The messages that a compaction may replace, or undefined. */
  get cut(): number | undefined {
    for (let at = this.roles.length - keepRecent; at >= 2; at--) if (this.roles[at] === 'user') return at;
    return undefined;
  }

  compact(): void {
    this.roles.splice(0, this.cut ?? 0, 'assistant');
  }

  private end(status: SessionStatus): void {
    this.status = status;
    this.run = undefined;
  }

  /** To the next rest or the end. `again`: the present step is tried once more, it is no new one. */
  private goOn(again = false): void {
    for (let repeated = again; this.run; repeated = false) {
      const { run } = this;
      const call = run.calls[0];
      if (call === 'slow' || call === 'risky') {
        run.rest = call === 'slow' ? 'tool' : 'approval';
        run.expiresAt = this.now() + approvalTimeoutMs;
        return;
      }
      if (call !== undefined) {
        run.calls.shift();
        this.roles.push('tool');
      } else if (!repeated && run.steps >= maxSteps) this.end('idle');
      else if (this.callModel(run, repeated)) return;
    }
  }

  /** One model call; true when the run rests then. */
  private callModel(run: RunModel, repeated: boolean): boolean {
    if (!repeated) run.steps += 1;
    const kind = run.kinds.shift() ?? 'text';
    if (kind === 'hold' || kind === 'drip') {
      run.streamed = kind === 'drip';
      run.rest = 'model';
      return true;
    }
    if (kind === 'busy' && !run.streamed) {
      run.attempts += 1;
      run.rest = 'retry';
      if (run.attempts >= retryAttempts) this.end('error');
      return true;
    }
    if (kind === 'busy' || kind === 'fatal' || kind === 'thrown') {
      if (run.streamed) this.roles.push('assistant');
      this.end('error');
      return true;
    }
    this.roles.push('assistant');
    run.attempts = 0;
    run.streamed = false;
    if (kind === 'broken' || kind === 'wrong') this.end('error');
    else if (isCalling(kind)) run.calls = [...(toolsOf[kind] ?? [])];
    else this.end('idle');
    return false;
  }
}

function isCalling(kind: Kind): boolean {
  return callings.some((calling) => calling === kind);
}
