/** One line of a manifest's `web.api`: `*` is one segment, `**` (only last) one or more. Segments are decoded. */
export interface Grant {
  method: string;
  segments: readonly string[];
}

/** An API path, taken apart. `segments` are decoded and begin behind `/api/`; `path` is the one spelling of it. */
export interface ApiPath {
  segments: readonly string[];
  path: string;
  /** Without `?`; no `token` in it. */
  query: string;
}

const maxPathChars = 2_048;
const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']);
const readOnly: readonly Grant[] = ['GET', 'HEAD'].map((method) => ({ method, segments: ['**'] }));

/**
 * The grants of a bundle (contract: Plugin browser bundles). Without a list it may read the whole API; an empty list grants
 * nothing. Lines that are no grant grant nothing and come back as `dropped`.
 */
export function parseGrants(lines: readonly string[] | undefined): { grants: readonly Grant[]; dropped: string[] } {
  if (lines === undefined) return { grants: readOnly, dropped: [] };
  const parsed = lines.map((line) => ({ line, grant: parseGrant(line) }));
  return {
    grants: parsed.flatMap(({ grant }) => grant ?? []),
    dropped: parsed.filter(({ grant }) => grant === undefined).map(({ line }) => line),
  };
}

/** True when one of the grants covers the call. Segments are compared as they are after decoding, letter by letter. */
export function isGranted(grants: readonly Grant[], method: string, segments: readonly string[]): boolean {
  return grants.some((grant) => grant.method === method && covers(grant.segments, segments));
}

/** The method in capitals; undefined for what the API does not know. */
export function parseMethod(value: string): string | undefined {
  const method = value.toUpperCase();
  return methods.has(method) ? method : undefined;
}

/**
 * Takes apart a path below `/api/`; undefined for everything that two readers could read differently: traversal in any encoding,
 * double encoding, empty segments, `\`, `;`, `#`, spaces, controls, other hosts, over 2,048 characters.
 */
export function parseApiPath(text: string): ApiPath | undefined {
  if (text.length > maxPathChars || /[\s\p{Cc}\\#]/u.test(text)) return undefined;
  const [rawPath = '', ...rest] = text.split('?');
  const segments = decodeSegments(rawPath);
  if (!segments) return undefined;
  const path = `/api/${segments.map(encodeURIComponent).join('/')}`;
  if (new URL(path, 'http://localhost').pathname !== path) return undefined;
  return { segments, path, query: withoutToken(rest.join('?')) };
}

function parseGrant(line: string): Grant | undefined {
  const [, verb = '', path = ''] = /^\s*([A-Za-z]+)\s+(\S+)\s*$/.exec(line) ?? [];
  const method = parseMethod(verb);
  const parsed = path.includes('?') ? undefined : parseApiPath(path);
  if (!method || !parsed) return undefined;
  const { segments } = parsed;
  const wild = segments.some((segment, at) =>
    segment === '**' ? at !== segments.length - 1 : segment.includes('*') && segment !== '*',
  );
  return wild ? undefined : { method, segments };
}

function covers(pattern: readonly string[], segments: readonly string[]): boolean {
  const open = pattern.at(-1) === '**';
  if (open ? segments.length < pattern.length : segments.length !== pattern.length) return false;
  return pattern.every((part, at) => part === '*' || (open && at === pattern.length - 1) || part === segments[at]);
}

function decodeSegments(path: string): string[] | undefined {
  const [start, api, ...rest] = path.split('/');
  if (start !== '' || api !== 'api' || rest.length === 0) return undefined;
  try {
    const segments = rest.map((part) => decodeURIComponent(part));
    return segments.every(isPlain) ? segments : undefined;
  } catch {
    return undefined;
  }
}

/** A `%` that is left after one decoding would mean something else to whoever decodes twice. */
function isPlain(segment: string): boolean {
  return segment !== '' && segment !== '.' && segment !== '..' && !/[/\\;?#%\p{Cc}\p{Cs}]/u.test(segment);
}

/** The credential belongs to the console: a query that brings its own loses it. */
function withoutToken(query: string): string {
  const fields = [...new URLSearchParams(query)].filter(([name]) => name.toLowerCase() !== 'token');
  return new URLSearchParams(fields).toString();
}
