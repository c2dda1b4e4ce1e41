/** Everything a plugin may import from the service. Plugins in plain JavaScript need none of it. */
export {
  any,
  array,
  assign,
  boolean,
  coerce,
  enums,
  type Infer,
  integer,
  lazy,
  literal,
  number,
  object,
  partial,
  refine,
  type Struct,
  string,
  type,
  unknown,
} from 'superstruct';
export { abortable } from '../base/abortable.ts';
export { messageOf } from '../base/caught.ts';
export type { Clock, Undo } from '../base/clock.ts';
export { findProgram, usualPath } from '../base/find-program.ts';
export type { Logger } from '../base/log.ts';
export { endProcesses, isGroupAlive, markerName, type ProcessTree } from '../base/process-tree.ts';
export { type MadeFromFiles, rememberFiles } from '../base/remember-files.ts';
export { visible } from '../base/visible.ts';
export {
  type Completion,
  type FinishReason,
  type Model,
  type ModelIo,
  type ModelMessage,
  type ModelRequest,
  type ModelToolCall,
  ProviderError,
} from '../models/model.ts';
export { createListEncoder, objectBytes } from '../models/provider-body.ts';
export { createProviderHttp, type EventReader, type ProviderHttp } from '../models/provider-http.ts';
export { condense, errorText, isRetryableStatus } from '../models/provider-http-failure.ts';
export { countOf, isRecord, type JsonRecord, listOf, parseJson, recordOf, textOf } from '../models/provider-json.ts';
export { findModels, registerModels } from '../models/provider-models.ts';
export {
  configuredKey,
  endpointOptions,
  type ModelEntry,
  modelEntry,
  modelInfo,
  secretsOf,
} from '../models/provider-options.ts';
export {
  createAnswerBudget,
  readToolCalls,
  type WrittenToolCall,
  wireToolName,
} from '../models/provider-tool-calls.ts';
export {
  defaulted,
  field,
  max,
  min,
  nonempty,
  nullable,
  optional,
  pattern,
  record,
  size,
  union,
} from '../tools/fields.ts';
export { milliseconds, permission } from '../tools/option-kinds.ts';
export type { SessionView, Tool, ToolContext, ToolOutput } from '../tools/tool.ts';
export { type ErrorCode, isServiceError, ServiceError } from '../wire/errors.ts';
export type { DeltaChannel, SessionEvent } from '../wire/event.ts';
export type { ImageAttachment, StoredMessage, ToolCall } from '../wire/message.ts';
export type { ModelInfo } from '../wire/model.ts';
export type { SessionSummary } from '../wire/session.ts';
export type { JsonSchema, ToolPermission, ToolSchema } from '../wire/tool.ts';
export { addUsage, noUsage, type Usage } from '../wire/usage.ts';
export type { WorkspaceEntry, WorkspaceFile, WorkspaceListing } from '../wire/workspace.ts';
export type { Workspace } from '../workspace/workspace.ts';
export { definePlugin, type OptionsParser, type Plugin } from './define-plugin.ts';
export { defineTool, type ToolArguments, type ToolDefinition, type ToolFields } from './define-tool.ts';
export { SessionGuardError } from './errors.ts';
export type { PluginContext } from './plugin.ts';
export type {
  PluginRoute,
  PluginRouteRequest,
  PluginRouteResponse,
  PromptSource,
  SendOptions,
  Services,
  SessionGuard,
  SessionGuardContext,
  SessionOutcome,
  SessionRequest,
  SessionsService,
  StartedRun,
} from './services.ts';
