import type { Page } from 'playwright-core';

/** Pastes images of noise into the composer: noise does not compress. Resolves with their size in bytes. */
export async function pasteNoise(page: Page, size: { width: number; height: number; count?: number }): Promise<number> {
  await page.locator('.composer textarea').waitFor();
  const bytes = await page.evaluate(`(async () => {
    const files = new DataTransfer();
    let bytes = 0;
    for (let number = 0; number < ${size.count ?? 1}; number++) {
      const canvas = new OffscreenCanvas(${size.width}, ${size.height});
      const context = canvas.getContext('2d');
      const image = context.createImageData(canvas.width, canvas.height);
      for (let at = 0; at < image.data.length; at += 65536)
        crypto.getRandomValues(image.data.subarray(at, Math.min(at + 65536, image.data.length)));
      for (let at = 3; at < image.data.length; at += 4) image.data[at] = 255;
      context.putImageData(image, 0, 0);
      const blob = await canvas.convertToBlob({ type: 'image/png' });
      bytes += blob.size;
      files.items.add(new File([blob], 'noise' + number + '.png', { type: 'image/png' }));
    }
    const area = document.querySelector('.composer textarea');
    area.dispatchEvent(new ClipboardEvent('paste', { clipboardData: files, bubbles: true, cancelable: true }));
    return bytes;
  })()`);
  return Number(bytes);
}
