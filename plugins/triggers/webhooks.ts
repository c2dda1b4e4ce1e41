import { messageOf, type PluginRoute, type PluginRouteRequest, ServiceError } from '../../lib/plugin-api/index.ts';
import { type Job, jobOf, type Last, type Launch } from './job.ts';
import type { WebhookOptions } from './options.ts';
import { expandVariables, isSecret, isSignature, signatureIn } from './secret.ts';

/** How the sender proves to be the one. */
export type Protection =
  | { kind: 'authentication' }
  | { kind: 'secret'; secret: string }
  | { kind: 'signature'; secret: string; header: string };

export interface Webhook {
  job: Job;
  public: boolean;
  protection: Protection;
  /** True: the sessions belong to the job's tenant, otherwise to the one that the caller's credential selects. */
  tenantIsFixed: boolean;
  /** Since the service started. */
  last?: Last;
}

/** Throws an Error that names the hook and never the secret. */
export function readWebhook(id: string, options: WebhookOptions, env: NodeJS.ProcessEnv): Webhook {
  const protection = protectionOf(id, options, env);
  if (options.public && protection.kind === 'authentication')
    throw new Error(`The webhook "${id}" is public and has no secret: anybody could start it. Set "secret".`);
  // A directory that the operator chose is not for every tenant.
  const tenantIsFixed = options.tenant !== undefined || options.workspace !== undefined;
  return { job: jobOf(id, options), public: options.public, protection, tenantIsFixed };
}

/**
 * `POST /api/hooks/<id>`: a session and a run per call, answered with 202 (contract: Triggers). Who has no valid proof is
 * refused before the body is read, or, with a signature, before anything is made of it.
 */
export function webhookRoute(hook: Webhook, launch: Launch): PluginRoute {
  const { job, protection } = hook;
  return {
    method: 'POST',
    path: `/api/hooks/${job.id}`,
    public: hook.public,
    authorize({ headers }) {
      if (protection.kind === 'secret' && !isSecret(headers.get(secretHeader), protection.secret))
        throw refusal(`The header ${secretHeader} does not carry the secret of this hook.`);
      if (protection.kind === 'signature' && signatureIn(headers.get(protection.header)) === undefined)
        throw refusal(`The header ${protection.header} does not carry a sha256 signature in hexadecimal.`);
    },
    async handler(request) {
      refuseUnsigned(protection, request);
      refuseStranger(hook, request);
      const { principal } = request;
      const tenantId = hook.tenantIsFixed || !principal ? job.tenantId : principal.tenantId;
      const launched = await launch({ ...job, tenantId }, bodyText(request));
      hook.last = { sessionId: launched.sessionId, at: launched.at };
      return { status: 202, body: { hook: job.id, sessionId: launched.sessionId, runId: launched.runId } };
    },
  };
}

/** The JSON as it was sent; `{}` when nothing was. */
export function bodyText({ body, rawBody }: Pick<PluginRouteRequest, 'body' | 'rawBody'>): string {
  return body === undefined ? '{}' : new TextDecoder().decode(rawBody);
}

const secretHeader = 'X-Service-Hook-Secret';

function protectionOf(id: string, { secret, signature }: WebhookOptions, env: NodeJS.ProcessEnv): Protection {
  if (secret === undefined) {
    if (signature) throw new Error(`The webhook "${id}" has a "signature" and no "secret" to verify it with.`);
    return { kind: 'authentication' };
  }
  const value = expand(id, secret, env);
  return signature ? { kind: 'signature', secret: value, header: signature.header } : { kind: 'secret', secret: value };
}

function expand(id: string, secret: string, env: NodeJS.ProcessEnv): string {
  let value: string;
  try {
    value = expandVariables(secret, env).trim();
  } catch (error) {
    throw new Error(`The secret of the webhook "${id}": ${messageOf(error)}.`);
  }
  if (value === '') throw new Error(`The secret of the webhook "${id}" is empty.`);
  return value;
}

function refuseUnsigned(protection: Protection, { headers, rawBody }: PluginRouteRequest): void {
  if (protection.kind !== 'signature') return;
  if (!isSignature(headers.get(protection.header), rawBody, protection.secret))
    throw refusal(`The signature in ${protection.header} is not that of this body.`);
}

/** Being somebody is no right in another tenant: that takes a secret, or an administrator. */
function refuseStranger({ job, protection, tenantIsFixed }: Webhook, { principal }: PluginRouteRequest): void {
  if (!tenantIsFixed || protection.kind !== 'authentication' || !principal || principal.admin) return;
  if (principal.tenantId !== job.tenantId)
    throw new ServiceError('forbidden', 'This hook starts sessions of another tenant.');
}

function refusal(message: string): ServiceError {
  return new ServiceError('unauthorized', message);
}
