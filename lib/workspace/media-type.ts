import { lookup } from 'mrmime';

/** First bytes that settle what a file is, whatever it is called. */
const signatures: readonly (readonly [type: string, bytes: readonly (number | undefined)[]])[] = [
  ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/gif', [0x47, 0x49, 0x46, 0x38, undefined, 0x61]],
  ['image/webp', [0x52, 0x49, 0x46, 0x46, undefined, undefined, undefined, undefined, 0x57, 0x45, 0x42, 0x50]],
  ['application/pdf', [0x25, 0x50, 0x44, 0x46, 0x2d]],
  ['application/zip', [0x50, 0x4b, 0x03, 0x04]],
];

/** Names that the register gives to something else (`.ts` is a video there) or does not know. */
const sourceTypes: Readonly<Record<string, string>> = {
  ts: 'text/typescript',
  mts: 'text/typescript',
  cts: 'text/typescript',
  tsx: 'text/tsx',
  jsx: 'text/jsx',
  py: 'text/x-python',
  rs: 'text/x-rust',
  go: 'text/x-go',
  sh: 'text/x-shellscript',
  toml: 'application/toml',
};

/** What the first bytes say. */
function sniffMediaType(bytes: Uint8Array): string | undefined {
  const found = signatures.find(([, signature]) =>
    signature.every((byte, at) => (byte === undefined ? at < bytes.length : bytes[at] === byte)),
  );
  return found?.[0];
}

/** An image whose content is not text: SVG is source code that can be read. */
export function isRasterImage(type: string | undefined): boolean {
  return type?.startsWith('image/') === true && type !== 'image/svg+xml';
}

/** The media type of a file by its name and first bytes; `isText` is what decoding them said. */
export function mediaTypeOf(name: string, bytes: Uint8Array, isText: boolean): string {
  const byName = typeByName(name);
  const byContent = sniffMediaType(bytes);
  // Office documents and packages are archives with a better name.
  if (byContent !== undefined && !(byContent === 'application/zip' && byName?.startsWith('application/')))
    return byContent;
  if (isText) return byName !== undefined && isTextual(byName) ? byName : 'text/plain';
  return byName !== undefined && !isTextual(byName) ? byName : 'application/octet-stream';
}

/** The media type that the register gives to the extension of a name; undefined for one that it does not know. */
export function registeredType(name: string): string | undefined {
  // The register is a plain object: to it `x.constructor` is a function.
  const type: unknown = lookup(name);
  return typeof type === 'string' ? type : undefined;
}

/** What the name says, or undefined. */
export function typeByName(name: string): string | undefined {
  const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase();
  if (extension === undefined) return undefined;
  return Object.hasOwn(sourceTypes, extension) ? sourceTypes[extension] : registeredType(extension);
}

function isTextual(type: string): boolean {
  return /^text\/|[/+](?:json|xml|yaml|toml|javascript|sql|graphql|x-sh|x-httpd-php|rtf|svg)\b|\+xml$/.test(type);
}
