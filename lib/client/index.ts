import type { ImageAttachment } from '../wire/message.ts';
import type { ApiError } from './api-error.ts';
import { type ClientOptions, createSend } from './connection.ts';
import { type EventsOptions, readEvents, readPluginEvents } from './events.ts';
import { createRoutes } from './routes.ts';
import { type SendAndWaitOptions, sendAndWait } from './send-and-wait.ts';

export type { Approval, ApprovalDecision } from '../wire/approval.ts';
export type { Checkpoint, CheckpointDiff, CheckpointList, Restore, SharedPreview } from '../wire/checkpoint.ts';
export type { Diagnosis, Repair } from '../wire/diagnosis.ts';
export type { ServerEventEnvelope, SessionEvent } from '../wire/event.ts';
export type { Caller, IssuedToken, Tenant, User } from '../wire/identity.ts';
export type { ChatMessage, ImageAttachment, ToolCall, ToolResult } from '../wire/message.ts';
export type { ModelInfo } from '../wire/model.ts';
export type { PluginEvent, PluginInfo } from '../wire/plugin.ts';
export type {
  CreateCheckpointRequest,
  CreateSessionRequest,
  DecisionRequest,
  RewindRequest,
  SendMessageRequest,
  UpdateSessionRequest,
} from '../wire/requests.ts';
export type { SearchAnswer } from '../wire/search.ts';
export type { Bootstrap, Health, PublicConfig } from '../wire/service.ts';
export type { SessionDetail, SessionStatus, SessionSummary } from '../wire/session.ts';
export type { ToolSchema } from '../wire/tool.ts';
export type { MessagePage, Rewound } from '../wire/transcript.ts';
export type { QuotaUsage, TenantUsage, Usage } from '../wire/usage.ts';
export type { WorkspaceEntry, WorkspaceFile, WorkspaceListing } from '../wire/workspace.ts';
export type { SessionListQuery } from './routes.ts';
export type { RunResult } from './send-and-wait.ts';
export type { ApiError, ClientOptions, EventsOptions, SendAndWaitOptions };

/** A client of one service: one function per route, the event stream, and `sendAndWait`. Runs in Node 20 and in browsers. */
export type Client = ReturnType<typeof createClient>;

/** Connects to nothing yet. Throws TypeError when `baseUrl` is no absolute URL. */
export function createClient(options: ClientOptions) {
  const send = createSend(options);
  const routes = createRoutes(send);
  const events = (select: EventsOptions = {}) => readEvents(send, select);

  return {
    ...routes,
    /** `for await (const { seq, event } of client.events({ sessionId, signal }))`. Begins when the loop does. */
    events,
    pluginEvents: (select: Pick<EventsOptions, 'signal' | 'silenceMs'> = {}) => readPluginEvents(send, select),
    /** Sends a message and resolves when its run has ended: `{ status, message, usage }`. */
    sendAndWait: (
      sessionId: string,
      content: string,
      waiting: SendAndWaitOptions & { images?: ImageAttachment[] } = {},
    ) => {
      const { images, ...rest } = waiting;
      const message = images ? { content, images } : { content };
      return sendAndWait({ routes, events }, sessionId, { message, options: rest });
    },
  };
}

/** True for an answer that was not a success. Works across copies of this module. */
export function isApiError(value: unknown): value is ApiError {
  return value instanceof Error && value.name === 'ApiError' && 'status' in value && 'code' in value;
}
