import listApprovals from '../handlers/approvals/list.ts';
import createCheckpoint from '../handlers/checkpoints/create.ts';
import diffCheckpoint from '../handlers/checkpoints/diff.ts';
import listCheckpoints from '../handlers/checkpoints/list.ts';
import restoreCheckpoint from '../handlers/checkpoints/restore.ts';
import allEvents from '../handlers/events/all.ts';
import sessionEvents from '../handlers/events/session.ts';
import createTenant from '../handlers/identity/create-tenant.ts';
import createUser from '../handlers/identity/create-user.ts';
import deleteUser from '../handlers/identity/delete-user.ts';
import listTenants from '../handlers/identity/list-tenants.ts';
import listUsers from '../handlers/identity/list-users.ts';
import me from '../handlers/identity/me.ts';
import rotateToken from '../handlers/identity/rotate-token.ts';
import pluginAsset from '../handlers/plugins/asset.ts';
import pluginEvents from '../handlers/plugins/events.ts';
import listPlugins from '../handlers/plugins/list.ts';
import sandboxEntry from '../handlers/plugins/sandbox-entry.ts';
import bootstrap from '../handlers/service/bootstrap.ts';
import config from '../handlers/service/config.ts';
import health from '../handlers/service/health.ts';
import metrics from '../handlers/service/metrics.ts';
import search from '../handlers/service/search.ts';
import usage from '../handlers/service/usage.ts';
import cancel from '../handlers/sessions/cancel.ts';
import compact from '../handlers/sessions/compact.ts';
import createSession from '../handlers/sessions/create.ts';
import decideApproval from '../handlers/sessions/decide-approval.ts';
import deleteSession from '../handlers/sessions/delete.ts';
import diagnostics from '../handlers/sessions/diagnostics.ts';
import listSessions from '../handlers/sessions/list.ts';
import listMessages from '../handlers/sessions/list-messages.ts';
import readSession from '../handlers/sessions/read.ts';
import readImage from '../handlers/sessions/read-image.ts';
import repair from '../handlers/sessions/repair.ts';
import resume from '../handlers/sessions/resume.ts';
import rewind from '../handlers/sessions/rewind.ts';
import sendMessage from '../handlers/sessions/send-message.ts';
import updateSession from '../handlers/sessions/update.ts';
import consoleFile from '../handlers/static/console.ts';
import pluginSandbox from '../handlers/static/plugin-sandbox.ts';
import listFiles from '../handlers/workspace/list-files.ts';
import readFile from '../handlers/workspace/read-file.ts';
import type { Handler } from '../lib/http/endpoint.ts';

/** Every endpoint of the service; each handler says by itself where it is mounted. */
export const handlers: readonly Handler[] = [
  // Service, plugins and identity
  health,
  bootstrap,
  config,
  usage,
  metrics,
  search,
  listPlugins,
  pluginEvents,
  me,
  listUsers,
  createUser,
  rotateToken,
  deleteUser,
  listTenants,
  createTenant,
  // Sessions
  listSessions,
  createSession,
  readSession,
  updateSession,
  deleteSession,
  listMessages,
  readImage,
  sendMessage,
  cancel,
  resume,
  rewind,
  compact,
  diagnostics,
  repair,
  listApprovals,
  decideApproval,
  sessionEvents,
  allEvents,
  listFiles,
  readFile,
  listCheckpoints,
  createCheckpoint,
  restoreCheckpoint,
  diffCheckpoint,
  // Files
  pluginAsset,
  sandboxEntry,
  pluginSandbox,
  consoleFile,
];
