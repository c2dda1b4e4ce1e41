import type { Asked, QuotaLimits, Reading } from '../invariants/history.ts';
import type { Life, Tenant } from './life.ts';
import type { ScriptedProvider } from './provider.ts';
import type { ToolWorld } from './tools.ts';

/** What is drawn once per run of commands. */
export interface WorldOptions {
  driver: 'file' | 'memory';
  checkpoints: boolean;
  /** Of tenant a; tenant b has none. */
  quota: QuotaLimits;
  /** A small window makes runs compact by themselves. */
  contextWindow: number | undefined;
  /** A plugin whose part of the prompt always fails. */
  failingPrompt: boolean;
}

/** A session as the service shows it. */
export type Detail = Reading & { pendingApprovals: { id: string }[] };

export interface AskOptions {
  body?: object;
  /** With it the answer becomes a fact. */
  asked?: Asked;
}

export interface Answer {
  status: number;
  code: string | undefined;
  body: Record<string, unknown>;
}

/** A request without an answer. */
export interface Underway {
  tenantId: Tenant;
  sessionId: string;
  asked: Asked | undefined;
  sent: number;
}

/** One life and what it works with. */
export interface Surroundings {
  life: Life;
  provider: ScriptedProvider;
  tools: ToolWorld;
  /** Wall clock of the machine, for the age of files. */
  bootedAt: number;
}

export const approvalTimeoutMs = 60_000;
export const maxSteps = 5;
export const retryAttempts = 3;
export const keepRecent = 2;
