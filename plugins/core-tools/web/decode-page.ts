import type { Page } from './fetch-page.ts';

export type PageKind = 'html' | 'text' | 'image' | 'other';

/** What to do with an answer, by its declared type; without one, by its content. */
export function kindOfPage({ contentType, body }: Pick<Page, 'contentType' | 'body'>): PageKind {
  const type = mediaType(contentType);
  if (type === 'text/html' || type === 'application/xhtml+xml') return 'html';
  if (/^image\/(?:png|jpeg|webp|gif)$/.test(type)) return 'image';
  if (/^text\/|[/+](?:json|xml|yaml|x-yaml|javascript|ecmascript|toml|x-ndjson|graphql)$/.test(type)) return 'text';
  if (type !== '' && type !== 'application/octet-stream') return 'other';
  if (body.includes(0)) return 'other';
  return /^\s*<(?:!doctype html|html)/i.test(body.toString('latin1', 0, 200)) ? 'html' : 'text';
}

/** In lower case and without parameters; empty when none was declared. */
export function mediaType(contentType: string): string {
  return contentType.split(';')[0]?.trim().toLowerCase() ?? '';
}

/** The text in the declared character set: byte order mark, header, HTML `meta`, otherwise UTF-8. Never throws. */
export function decodePage({ contentType, body }: Pick<Page, 'contentType' | 'body'>): string {
  const declared = /charset\s*=\s*["']?([\w.:-]+)/i;
  const label =
    markOf(body) ?? declared.exec(contentType)?.[1] ?? declared.exec(body.toString('latin1', 0, 1_024))?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(label).decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}

function markOf(body: Buffer): string | undefined {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return 'utf-8';
  if (body[0] === 0xff && body[1] === 0xfe) return 'utf-16le';
  return body[0] === 0xfe && body[1] === 0xff ? 'utf-16be' : undefined;
}
