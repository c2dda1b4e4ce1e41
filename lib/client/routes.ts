import type { Approval } from '../wire/approval.ts';
import type { Checkpoint, CheckpointDiff, CheckpointList, Restore, SharedPreview } from '../wire/checkpoint.ts';
import type { Diagnosis, Repair } from '../wire/diagnosis.ts';
import type { Caller, IssuedToken, Tenant, User } from '../wire/identity.ts';
import type { PluginInfo } from '../wire/plugin.ts';
import type {
  CreateCheckpointRequest,
  CreateSessionRequest,
  DecisionRequest,
  RewindRequest,
  SendMessageRequest,
  UpdateSessionRequest,
} from '../wire/requests.ts';
import type { SearchAnswer } from '../wire/search.ts';
import type { Bootstrap, Health, PublicConfig } from '../wire/service.ts';
import type { SessionDetail, SessionSummary } from '../wire/session.ts';
import type { MessagePage, Rewound } from '../wire/transcript.ts';
import type { QuotaUsage, TenantUsage } from '../wire/usage.ts';
import type { WorkspaceFile, WorkspaceListing } from '../wire/workspace.ts';
import type { RequestOptions, Send } from './connection.ts';

/** `status`: several with commas between. `roots: 1`: without sub-agents. `q`: words of title, id, model or workspace. */
export interface SessionListQuery {
  limit?: number;
  cursor?: string;
  status?: string;
  roots?: 1;
  q?: string;
}

/** One function per route of the contract (section Endpoints). All reject with ApiError; `signal` aborts the request. */
export function createRoutes(send: Send) {
  async function call<T>(method: string, path: string, options: RequestOptions = {}): Promise<T> {
    const response = await send(method, path, options);
    return (response.status === 204 ? undefined : await response.json()) as T;
  }
  const get = <T>(path: string, options?: RequestOptions) => call<T>('GET', path, options);
  const post = <T>(path: string, body?: unknown, signal?: AbortSignal) => call<T>('POST', path, { body, signal });
  const session = (id: string, rest = '') => `/api/sessions/${encodeURIComponent(id)}${rest}`;

  return {
    /** Any route, for those that plugins add. Resolves with the decoded JSON. */
    request: call,

    health: () => get<Health>('/api/health'),
    bootstrap: () => get<Bootstrap>('/api/bootstrap'),
    config: () => get<{ config: PublicConfig }>('/api/config'),
    plugins: () => get<{ plugins: PluginInfo[] }>('/api/plugins'),
    usage: (options: { tenant?: string } = {}) => get<TenantUsage>('/api/usage', { query: { ...options } }),
    search: (q: string, options: { limit?: number } = {}) =>
      get<SearchAnswer>('/api/search', { query: { q, ...options } }),
    quotas: () => get<{ tenants: QuotaUsage[] }>('/api/quotas'),

    me: () => get<Caller>('/api/auth/me'),
    listUsers: () => get<{ users: User[] }>('/api/users'),
    createUser: (user: { name: string; tenantId?: string; role?: User['role'] }) =>
      post<IssuedToken>('/api/users', user),
    rotateToken: (id: string) => post<IssuedToken>(`/api/users/${encodeURIComponent(id)}/token`),
    deleteUser: (id: string) => call<void>('DELETE', `/api/users/${encodeURIComponent(id)}`),
    listTenants: () => get<{ tenants: Tenant[] }>('/api/tenants'),
    createTenant: (tenant: { id?: string; name: string }) => post<{ tenant: Tenant }>('/api/tenants', tenant),

    /** Without a query: all. With `limit`, `nextCursor` says where to go on. */
    listSessions: (query: SessionListQuery = {}) =>
      get<{ sessions: SessionSummary[]; nextCursor?: string }>('/api/sessions', { query: { ...query } }),
    createSession: (fields: CreateSessionRequest = {}) => post<{ session: SessionDetail }>('/api/sessions', fields),
    readSession: (id: string) => get<{ session: SessionDetail }>(session(id)),
    updateSession: (id: string, fields: UpdateSessionRequest) =>
      call<{ session: SessionDetail }>('PATCH', session(id), { body: fields }),
    deleteSession: (id: string) => call<void>('DELETE', session(id)),

    /** A page of the transcript, images by reference; without `before` the newest. */
    listMessages: (id: string, query: { before?: string; limit?: number } = {}) =>
      get<MessagePage>(session(id, '/messages'), { query }),
    /** Everything that waits for a person, in all sessions the caller may see. */
    listApprovals: () => get<{ approvals: Approval[] }>('/api/approvals'),
    /** Resolves when the message is stored and its run has begun; the answer comes as events. */
    sendMessage: (id: string, message: SendMessageRequest, signal?: AbortSignal) =>
      post<{ runId: string }>(session(id, '/messages'), message, signal),
    cancelRun: (id: string) => post<{ cancelled: boolean }>(session(id, '/cancel')),
    resumeSession: (id: string) => post<{ runId: string }>(session(id, '/resume')),
    /** Summarises the oldest turns now. `compacted` is false when there was nothing to gain. */
    compactSession: (id: string) => post<{ compacted: boolean }>(session(id, '/compact')),
    diagnoseSession: (id: string) => get<{ diagnosis: Diagnosis }>(session(id, '/diagnostics')),
    /** Puts right what the diagnosis offers to; it never executes a call again. */
    repairSession: (id: string) => post<Repair>(session(id, '/repair')),
    rewindSession: (id: string, target: RewindRequest) => post<Rewound>(session(id, '/rewind'), target),
    decideApproval: (id: string, approvalId: string, decision: DecisionRequest) =>
      post<{ resolved: true }>(session(id, `/approvals/${encodeURIComponent(approvalId)}`), decision),

    listFiles: (id: string, path = '.') => get<WorkspaceListing>(session(id, '/files'), { query: { path } }),
    readFile: (id: string, path: string) => get<WorkspaceFile>(session(id, '/file'), { query: { path } }),

    listCheckpoints: (id: string) => get<CheckpointList>(session(id, '/checkpoints')),
    createCheckpoint: (id: string, fields: CreateCheckpointRequest = {}) =>
      post<{ checkpoint: Checkpoint }>(session(id, '/checkpoints'), fields),
    restoreCheckpoint: (id: string, checkpointId: string) =>
      post<Restore>(session(id, `/checkpoints/${encodeURIComponent(checkpointId)}/restore`)),

    /** What a restore would do to the files as they are now, and to which other sessions. */
    previewRestore: (id: string, checkpointId: string) =>
      post<SharedPreview>(session(id, `/checkpoints/${encodeURIComponent(checkpointId)}/restore?dryRun=1`)),
    /** What changed since the checkpoint, or from it to another one. */
    diffCheckpoint: (id: string, checkpointId: string, against?: string) =>
      get<CheckpointDiff>(session(id, `/checkpoints/${encodeURIComponent(checkpointId)}/diff`), { query: { against } }),

    /** Calls a webhook trigger; `secret` goes into its own header. */
    callHook: (id: string, body: unknown = {}, options: { secret?: string } = {}) =>
      call<{ hook: string; sessionId: string; runId: string }>('POST', `/api/hooks/${encodeURIComponent(id)}`, {
        body,
        headers: options.secret ? { 'x-service-hook-secret': options.secret } : {},
      }),
  };
}

export type Routes = ReturnType<typeof createRoutes>;
