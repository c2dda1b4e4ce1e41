import { limits } from '../../lib/wire/limits.ts';

/** Room for the rest of the body: text, names and JSON. */
const reserve = 64 * 1024;

/**
 * Why these images can't go together, or undefined. The images rule alone (12 MB) does not fit into a body of 10 MB of
 * base64, so what counts is the size as it is sent.
 */
export function imageProblem(
  images: readonly { name: string; data: string }[],
  { text = '', bodyBytes = limits.bodyBytes }: { text?: string; bodyBytes?: number } = {},
): string | undefined {
  if (images.length > limits.imagesPerMessage)
    return `At most ${limits.imagesPerMessage} images go into one message; there are ${images.length}.`;
  const large = images.find(({ data }) => (data.length / 4) * 3 > limits.imageBytes + 2);
  if (large) return `"${large.name}" is larger than 4 MB.`;
  const encoded = images.reduce((sum, { data }) => sum + data.length, 0) + text.length * 3 + reserve;
  if (encoded <= bodyBytes) return undefined;
  const room = Math.max(0, ((bodyBytes - reserve) / 4) * 3) / 1_048_576;
  return `The images are too large together: about ${room.toFixed(1)} MB fit into one message.`;
}
