import { registeredType } from '../workspace/media-type.ts';

/** The `content-type` of a file that is served: by the extension of its name or path, text as UTF-8. */
export function contentTypeOf(name: string): string {
  const type = registeredType(name) ?? 'application/octet-stream';
  return /^text\/|javascript|json$|svg/.test(type) ? `${type}; charset=utf-8` : type;
}
