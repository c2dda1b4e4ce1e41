import { recordOf, textOf } from '../models/provider-json.ts';
import { decodedBytes, isBase64, stripDataPrefix } from '../wire/images.ts';
import { limits } from '../wire/limits.ts';
import { type ImageMimeType, type ImageRef, imageMimeTypes } from '../wire/message.ts';
import type { Run } from './run.ts';
import type { Output } from './tool-output.ts';

interface ToolImage {
  mimeType: string;
  data: string;
  name: string | undefined;
}

/** What a tool returned, its images in the store. */
export type StoredOutput = Omit<Output, 'images'> & { refs?: ImageRef[] };

/**
 * Stores the images of a tool result and hands out references. Images that are no PNG, JPEG, WebP or GIF, that are over
 * 4 MB each, 6 per call or 12 MB together are dropped with a marker in the text (contract: Images); the call never fails for it.
 */
export async function storeToolImages(run: Run, output: Output): Promise<StoredOutput> {
  const { images = [], ...rest } = output;
  if (images.length === 0) return rest;
  const refs: ImageRef[] = [];
  const dropped: string[] = [];
  let total = 0;
  for (const given of images) {
    const image = readImage(given);
    const bytes = isBase64(image.data) ? decodedBytes(image.data) : 0;
    const problem = problemOf(image, { bytes, total, count: refs.length });
    if (problem !== undefined || !isImageType(image.mimeType)) {
      dropped.push(problem ?? 'unsupported type');
      continue;
    }
    total += bytes;
    const { hash } = await run.around.store.putImage(run.session.tenantId, run.session.id, image.data);
    const name = image.name?.slice(0, limits.imageNameChars);
    refs.push({ mimeType: image.mimeType, hash, bytes, ...(name === undefined ? {} : { name }) });
  }
  const markers = dropped.map((reason) => `[image dropped: ${reason}]`);
  return { ...rest, content: [rest.content, ...markers].filter((part) => part !== '').join('\n'), refs };
}

function problemOf(image: ToolImage, so: { bytes: number; total: number; count: number }): string | undefined {
  if (!isImageType(image.mimeType))
    return `type ${image.mimeType.slice(0, 60) || 'unknown'} is not PNG, JPEG, WebP or GIF`;
  if (so.bytes <= 0) return 'no valid base64';
  if (so.bytes > limits.imageBytes) return 'over 4 MB';
  if (so.count >= limits.imagesPerMessage) return `over ${limits.imagesPerMessage} images in one call`;
  if (so.total + so.bytes > limits.imageBytesTotal) return 'over 12 MB together';
  return undefined;
}

function isImageType(type: string): type is ImageMimeType {
  return imageMimeTypes.some((known) => known === type);
}

/** An image as a tool gave it: each part may be whatever the tool made of it. */
function readImage(given: unknown): ToolImage {
  const { mimeType, data, name } = recordOf(given);
  return {
    mimeType: textOf(mimeType),
    data: stripDataPrefix(textOf(data)),
    name: typeof name === 'string' ? name : undefined,
  };
}
