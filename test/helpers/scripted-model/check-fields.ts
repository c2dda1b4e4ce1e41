export type Fields = Record<string, unknown>;

/** Why a vendor would refuse a request with 400. */
export class RequestProblem extends Error {
  override readonly name = 'RequestProblem';
  readonly param: string | undefined;

  constructor(message: string, param?: string) {
    super(message);
    this.param = param;
  }
}

/** Both vendors document this for tool names. */
export const toolName = /^[a-zA-Z0-9_-]{1,64}$/;

const imageTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A string with something in it. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

export function isImageType(value: unknown): boolean {
  return typeof value === 'string' && imageTypes.includes(value);
}

/** Standard base64 with padding, and not empty. */
export function isBase64(value: unknown): value is string {
  return isText(value) && value.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(value);
}

/** An http(s) URL, or a data URL with base64 of an image type both vendors take. */
export function isImageDataUrl(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  if (/^https?:\/\//.test(value)) return true;
  const [head, data] = value.split(',', 2);
  const type = /^data:([^;]+);base64$/.exec(head ?? '')?.[1];
  return isImageType(type) && isBase64(data);
}

/** Every entry has a well-formed name, and no two the same. */
export function requireNames(entries: Fields[], where: { path: string; nameOf: (entry: Fields) => unknown }): void {
  const seen = new Set<unknown>();
  for (const [at, entry] of entries.entries()) {
    const name = where.nameOf(entry);
    const path = `${where.path}[${at}].name`;
    if (typeof name !== 'string' || !toolName.test(name))
      throw new RequestProblem(`Invalid '${path}': string does not match pattern '${toolName.source}'.`, path);
    if (seen.has(name)) throw new RequestProblem(`${where.path}: Tool names must be unique (${name}).`, path);
    seen.add(name);
  }
}
