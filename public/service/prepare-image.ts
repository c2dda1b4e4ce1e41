import type { DraftImage } from '../state/drafts.ts';

const mostBytes = 4 * 1024 * 1024;
const mostPixels = 2_000;
const types = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const;

/**
 * Makes a file ready to be sent: what is too large is scaled down, to JPEG when it is one, otherwise to WebP (PNG where the
 * browser writes none); GIFs stay as they are. Rejects with a sentence.
 */
export async function prepareImage(file: File): Promise<DraftImage> {
  const type = types.find((known) => known === file.type);
  if (!type) throw new Error(`"${file.name || 'This file'}" is no PNG, JPEG, WebP or GIF image.`);
  if (type === 'image/gif') {
    if (file.size > mostBytes) throw new Error(`"${file.name}" is larger than 4 MB, and animations are not scaled.`);
    return draftImage(file, file.name, type);
  }
  const bitmap = await createImageBitmap(file).catch(() => undefined);
  if (!bitmap) throw new Error(`"${file.name}" can't be read as an image.`);
  const { width, height } = bitmap;
  const fits = file.size <= mostBytes && Math.max(width, height) <= mostPixels;
  if (fits) {
    bitmap.close();
    return draftImage(file, file.name, type);
  }
  for (let scale = Math.min(1, mostPixels / Math.max(width, height)); scale > 0.05; scale *= 0.7) {
    const canvas = new OffscreenCanvas(Math.round(width * scale), Math.round(height * scale));
    canvas.getContext('2d')?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    // Safari writes PNG when it is asked for WebP; of a photo that would be ten times as large.
    const blob = await canvas.convertToBlob({ type: type === 'image/jpeg' ? type : 'image/webp', quality: 0.85 });
    const written = types.find((known) => known === blob.type);
    if (!written || blob.size > mostBytes) continue;
    bitmap.close();
    return draftImage(blob, file.name.replace(/\.\w+$/, `.${written.slice('image/'.length)}`), written);
  }
  throw new Error(`"${file.name}" is too large.`);
}

async function draftImage(blob: Blob, name: string, mimeType: DraftImage['mimeType']): Promise<DraftImage> {
  const data = await base64(blob);
  return {
    id: `${name}-${data.length}-${performance.now()}`,
    name: name || 'image',
    mimeType,
    data,
  };
}

function base64(blob: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () => reject(new Error('The image could not be read.'));
    reader.readAsDataURL(blob);
  });
}
