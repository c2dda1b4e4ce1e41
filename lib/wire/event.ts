import type { Approval } from './approval.ts';
import type { ChatMessage, ToolCall, ToolResult } from './message.ts';
import type { PluginInfo } from './plugin.ts';
import type { SessionSummary } from './session.ts';
import type { Usage } from './usage.ts';

export type RunEnd = 'completed' | 'cancelled' | 'max_steps';
export type DeltaChannel = 'text' | 'reasoning';
export type NoticeLevel = 'info' | 'warn' | 'error';

/** Contract: Event union. `message.*` events carry the wire form of a message. */
export type SessionEvent =
  // The session
  | { type: 'session.updated'; sessionId: string; session: SessionSummary }
  | { type: 'session.rewound'; sessionId: string; messageId: string; messages: ChatMessage[] }
  | { type: 'session.deleted'; sessionId: string }
  // A run: one end for every start, unless its session is deleted or the service stops; nothing of the run after its end
  | { type: 'run.started'; sessionId: string; runId: string }
  | { type: 'run.finished'; sessionId: string; runId: string; status: RunEnd; usage?: Usage }
  | { type: 'run.failed'; sessionId: string; runId: string; error: string }
  // A message: `completed` is authoritative over the deltas before it
  | { type: 'message.started'; sessionId: string; message: ChatMessage }
  | { type: 'message.delta'; sessionId: string; messageId: string; channel: DeltaChannel; delta: string }
  | { type: 'message.completed'; sessionId: string; message: ChatMessage }
  // Tools
  | { type: 'tool.started'; sessionId: string; call: ToolCall }
  | { type: 'tool.finished'; sessionId: string; result: ToolResult }
  | { type: 'approval.requested'; sessionId: string; approval: Approval }
  | { type: 'approval.resolved'; sessionId: string; approvalId: string; approved: boolean }
  // Everything else
  | {
      type: 'context.compacted';
      sessionId: string;
      removedMessages: number;
      keptMessages: number;
      tokensBefore: number;
      tokensAfter: number;
    }
  | { type: 'notice'; level: NoticeLevel; message: string; sessionId?: string }
  | { type: 'stream.gap'; sessionId?: string; reason: 'evicted' | 'restarted'; resumedFrom: number }
  | { type: 'plugin.changed'; plugin: PluginInfo };

/** Contract: ServerEventEnvelope. `seq` rises by one per event of the process and never repeats on one data directory. */
export interface ServerEventEnvelope {
  seq: number;
  at: string;
  event: SessionEvent;
}
