import { constants, type Stats } from 'node:fs';
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { contentTypeOf } from '../../lib/http/content-type.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { answerTagged, tagOf } from '../../lib/http/entity-tag.ts';
import { decodePath } from '../../lib/http/path-pattern.ts';
import { type PolicyPlace, policyPlace } from '../../lib/http/sandbox-document.ts';
import { ServiceError } from '../../lib/wire/errors.ts';

const securityHeaders = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' };

/**
 * The web console: files below `server.webRoot`, without authentication (contract: Static routes). `/` is `index.html`.
 * Traversal in any spelling is 403 `forbidden`; dotfiles and links that lead outside are not there.
 */
export default endpoint('GET /*', {
  access: 'public',
  async handle({ app, request, url }) {
    const file = await openBelow(app.config.server.webRoot, relativePath(url.pathname));
    if (!file) throw new ServiceError('not_found', 'There is nothing at this path.');
    try {
      const { size, mtimeMs } = await file.stat();
      const headers = {
        ...securityHeaders,
        'content-security-policy': framePolicy(policyPlace(request, url)),
        'cache-control': 'no-cache',
        'content-type': contentTypeOf(url.pathname.endsWith('/') ? 'index.html' : url.pathname),
      };
      return await answerTagged(request, tagOf({ size, modifiedAt: mtimeMs }), {
        headers,
        read: () => file.readFile(),
      });
    } finally {
      await file.close();
    }
  },
});

/**
 * What the page's own, stricter policy can't say: nobody may frame it, and it may frame the sandbox document only, which is
 * what keeps a plugin's frame from going anywhere else.
 */
function framePolicy(place: PolicyPlace | undefined): string {
  const sandbox = place ? `${place.host}${place.prefix}/plugin-sandbox.html` : "'none'";
  return `frame-ancestors 'none'; frame-src ${sandbox}`;
}

/** The path below the root. Throws `bad_path` for a broken encoding and `forbidden` for what tries to leave the root. */
function relativePath(pathname: string): string {
  const path = decodePath(pathname);
  const segments = path.split('/');
  if (/[\\\0]/.test(path) || /%2f/i.test(pathname) || segments.includes('..'))
    throw new ServiceError('forbidden', 'Paths must not leave the root.');
  if (segments.some((segment) => segment.startsWith('.')))
    throw new ServiceError('not_found', 'There is nothing at this path.');
  return path.endsWith('/') ? `${path}index.html` : path;
}

/** Opens first and then checks that what is open is the file at a real path below the root: a swapped link changes nothing. */
async function openBelow(root: string, path: string): Promise<FileHandle | undefined> {
  const target = join(root, path);
  const file = await open(target, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined);
  if (!file) return undefined;
  if (await isBelow(root, target, await file.stat()).catch(() => false)) return file;
  await file.close();
  return undefined;
}

async function isBelow(root: string, target: string, opened: Stats): Promise<boolean> {
  const [realRoot, realTarget] = await Promise.all([realpath(root), realpath(target)]);
  const found = await lstat(realTarget);
  return (
    opened.isFile() && found.ino === opened.ino && found.dev === opened.dev && realTarget.startsWith(realRoot + sep)
  );
}
