import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../base/package-root.ts';
import type { PluginInfo } from '../wire/plugin.ts';

/** The script of the sandbox document as it was built, with the base64 sha256 that its policy lists. */
export interface Bootstrap {
  script: string;
  sha256: string;
}

/** Reads what the build left; small, and asked for once per frame that is opened. */
export async function readBootstrap(): Promise<Bootstrap> {
  return JSON.parse(await readFile(join(packageRoot(), 'dist/sandbox/bootstrap.json'), 'utf8'));
}

/** The document that every bundle runs in: nothing of the plugin is in it. */
export function sandboxDocument({ script }: Bootstrap): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Plugin</title>
<style>html,body{margin:0;background:transparent}#root{display:flow-root}</style>
</head>
<body><div id="root"></div><script>${script}</script></body>
</html>
`;
}

/**
 * The headers of the sandbox document. A script may run when it is the bootstrap or the hardened entry of this plugin (an exact
 * address: a nonce would be inherited by what the entry imports); without a plugin or a place that can stand in a policy
 * nothing but the bootstrap runs.
 */
export function sandboxHeaders(options: {
  plugin: PluginInfo | undefined;
  place: PolicyPlace | undefined;
  sha256: string;
  /** `server.corsOrigins`: consoles that are served from elsewhere. */
  origins: readonly string[];
}): Record<string, string> {
  const { plugin, place, sha256 } = options;
  const entry = plugin?.state === 'active' && plugin.web ? hardenedEntry(plugin.id, plugin.web.entry) : undefined;
  const own = place ? sourcesOf(place) : '';
  const script = place && entry !== undefined ? sourcesOf(place, `${place.prefix}${entry}`) : '';
  const ancestors = options.origins.filter((origin) => /^https?:\/\/[A-Za-z0-9.-]+(:\d+)?$/.test(origin));
  const policy = [
    'sandbox allow-scripts',
    "default-src 'none'",
    `script-src 'sha256-${sha256}'${script}`,
    `style-src${own} data: 'unsafe-inline'`,
    `img-src data: blob:${own}`,
    `font-src data:${own}`,
    ...['connect', 'frame', 'child', 'worker', 'object', 'media', 'manifest'].map((kind) => `${kind}-src 'none'`),
    "base-uri 'none'",
    "form-action 'none'",
    ['frame-ancestors', "'self'", ...ancestors].join(' '),
    "webrtc 'block'",
  ];
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; '),
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-dns-prefetch-control': 'off',
    // Of all headers the only one that keeps hints (`preconnect`, `dns-prefetch`) from reaching the network, where it is known.
    'connection-allowlist': '(response-origin)',
    'cache-control': 'no-cache',
    'permissions-policy': denied.map((feature) => `${feature}=()`).join(', '),
  };
}

/**
 * What every file of a bundle is served with. Frames have no origin, hence the open CORS header; a document among the files gets
 * no rights at all: opened by itself it would otherwise run in the console's origin.
 */
export const bundleHeaders = {
  'cache-control': 'no-cache',
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
} as const;

/** Where the browser sees the service, as it can stand in a policy; whether by TLS, only a proxy in front would know. */
export interface PolicyPlace {
  host: string;
  /** The path that a proxy takes away, without a slash at the end; mostly empty. */
  prefix: string;
}

/**
 * The place as the `Host` header and, behind a proxy that strips a path, `X-Forwarded-Prefix` tell it. Undefined when one of them
 * could mean something else in a policy, IPv6 literals included. No page can make a browser send these with a navigation, and
 * who writes them by hand widens nothing but the policy of their own answer.
 */
export function policyPlace({ headers }: Request, url: URL): PolicyPlace | undefined {
  const host = headers.get('host') ?? url.host;
  const prefix = (headers.get('x-forwarded-prefix') ?? '').replace(/\/$/, '');
  const isPlain = /^[a-z0-9.-]+(:\d+)?$/.test(host) && /^(\/(?!\.{1,2}(\/|$))[A-Za-z0-9._~-]+)*$/.test(prefix);
  return isPlain ? { host, prefix } : undefined;
}

/**
 * A path of the service as a policy names it, with a space in front. With the scheme: a frame without an origin has none of its own in
 * Safari to add to a bare name. `http:` stands for https, too, but in Chromium not on a port of its own.
 */
function sourcesOf({ host }: PolicyPlace, path = ''): string {
  const schemes = host.includes(':') ? ['http', 'https'] : ['http'];
  return schemes.map((scheme) => ` ${scheme}://${host}${path}`).join('');
}

/** Where the entry is served with {@link prelude}: `/plugins/<id>/.sandbox/<entry>`. */
function hardenedEntry(id: string, entry: string): string {
  const start = `/plugins/${encodeURIComponent(id)}/`;
  return `${start}.sandbox/${entry.slice(start.length)}`;
}

/**
 * Runs before the first line of a bundle, because static imports can't load: no policy of today's browsers stops WebRTC or a
 * nested `srcdoc` frame.
 */
const prelude =
  'if(parent!==top)throw Error("plugin bundles may not run in nested frames");for(const k of Object.getOwnPropertyNames(globalThis))if(/^(webkit)?RTC/.test(k))delete globalThis[k];\n';

/** The entry of a bundle with the prelude in front, otherwise byte by byte what it was; a mark or `#!` line at the start goes. */
export function harden(entry: Uint8Array<ArrayBuffer>): Blob {
  const marked = entry[0] === 0xef && entry[1] === 0xbb && entry[2] === 0xbf ? entry.subarray(3) : entry;
  const isScript = marked[0] === 0x23 && marked[1] === 0x21;
  const end = isScript ? marked.indexOf(0x0a) : 0;
  return new Blob([prelude, end === -1 ? '' : marked.subarray(end)]);
}

const denied = [
  ...['camera', 'microphone', 'geolocation', 'clipboard-read', 'clipboard-write', 'display-capture', 'fullscreen'],
  ...['payment', 'usb', 'serial', 'hid', 'bluetooth', 'publickey-credentials-get', 'identity-credentials-get'],
  ...['screen-wake-lock', 'web-share', 'focus-without-user-activation'],
];
