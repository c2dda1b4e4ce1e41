import { type Grant, isGranted, parseGrants } from '../../lib/wire/grants.ts';

/** What a bundle may do, for people. */
export interface GrantWords {
  /** It may read everything that the login may. */
  readsAll: boolean;
  reads: string[];
  writes: string[];
  /** Of `writes`: what a person should think about twice. */
  dangers: string[];
  /** Lines of the manifest that are no grant and grant nothing. */
  dropped: string[];
}

/** Every route of the service, except those that bundles can't read (streams, images). */
export const routeWords: Readonly<Record<string, string>> = {
  'GET /api/sessions': 'the list of sessions',
  'GET /api/sessions/:id': 'every session',
  'GET /api/sessions/:id/messages': 'the messages of every session',
  'GET /api/sessions/:id/files': 'the names of the files in workspaces',
  'GET /api/sessions/:id/file': 'the files in workspaces',
  'GET /api/sessions/:id/checkpoints': 'checkpoints',
  'GET /api/sessions/:id/checkpoints/:checkpointId/diff': 'what changed since a checkpoint',
  'GET /api/sessions/:id/diagnostics': 'the diagnosis of a session',
  'GET /api/search': 'search results over all messages',
  'GET /api/approvals': 'what waits for approval',
  'GET /api/auth/me': 'who is signed in',
  'GET /api/bootstrap': 'the models, tools and plugins',
  'GET /api/config': 'the configuration (without secrets)',
  'GET /api/health': 'the state of the service',
  'GET /api/metrics': 'the metrics of the service, if you are an administrator',
  'GET /api/plugins': 'the list of plugins',
  'GET /api/tenants': 'the list of tenants, if you are an administrator',
  'GET /api/usage': 'how much was used',
  'GET /api/users': 'the list of users, if you are an administrator',
  'POST /api/sessions': 'create sessions',
  'PATCH /api/sessions/:id': 'rename sessions and change their model and system prompt',
  'DELETE /api/sessions/:id': 'delete sessions',
  'POST /api/sessions/:id/messages': 'send messages in your name, which makes agents act',
  'POST /api/sessions/:id/approvals/:approvalId': 'approve in your name what agents ask for: commands, too',
  'POST /api/sessions/:id/cancel': 'stop runs',
  'POST /api/sessions/:id/resume': 'resume runs, which makes agents act',
  'POST /api/sessions/:id/compact': 'have transcripts summarised',
  'POST /api/sessions/:id/repair': 'repair sessions',
  'POST /api/sessions/:id/rewind': 'rewind sessions: messages go, files change',
  'POST /api/sessions/:id/checkpoints': 'make checkpoints',
  'POST /api/sessions/:id/checkpoints/:checkpointId/restore': 'bring files back from a checkpoint',
  'POST /api/tenants': 'create tenants, if you are an administrator',
  'POST /api/users': 'create users and see their tokens, if you are an administrator',
  'POST /api/users/:id/token': 'make new tokens for users and see them, if you are an administrator',
  'DELETE /api/users/:id': 'delete users, if you are an administrator',
};

const dangerous = /approvals\/|^POST .*\/(messages|resume|rewind|restore)$|^DELETE|^POST \/api\/(users|tenants)/;

/** The grants of a manifest in words. What covers no route of the service (a plugin's own, or one session) is shown as it is. */
export function grantWords(api: readonly string[] | undefined): GrantWords {
  const { grants, dropped } = parseGrants(api);
  const isRead = ({ method }: Grant) => method === 'GET' || method === 'HEAD';
  const linesOf = (some: readonly Grant[]) => {
    const named = new Map(some.map((grant) => [grant, routesOf(grant)]));
    const routes = new Set([...named.values()].flat());
    const literal = [...named].flatMap(([grant, covered]) => (covered.length === 0 ? [lineOf(grant)] : []));
    return [...routes, ...literal];
  };
  const reads = linesOf(grants.filter(isRead));
  const writes = linesOf(grants.filter((grant) => !isRead(grant)));
  return {
    readsAll: isGranted(grants, 'GET', ['anything']) && isGranted(grants, 'GET', ['anything', 'below']),
    reads: reads.map(inWords),
    writes: writes.map(inWords),
    dangers: writes.filter((line) => dangerous.test(line)).map(inWords),
    dropped,
  };
}

/** Routes of the service that one grant covers; `HEAD` reads what `GET` does, without the content. */
function routesOf(grant: Grant): string[] {
  return Object.keys(routeWords).filter((route) => {
    const [method = '', path = ''] = route.split(' ');
    const segments = path.split('/').slice(2);
    return isGranted([grant], method, segments);
  });
}

function inWords(line: string): string {
  return routeWords[line] ?? line;
}

function lineOf({ method, segments }: Grant): string {
  return `${method} /api/${segments.join('/')}`;
}
