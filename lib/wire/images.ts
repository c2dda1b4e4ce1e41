/** Takes the `data:<type>;base64,` in front of image data away, if there is one. */
export function stripDataPrefix(data: string): string {
  if (!data.startsWith('data:')) return data;
  const comma = data.slice(0, 256).indexOf(';base64,');
  return comma < 0 ? data : data.slice(comma + ';base64,'.length);
}

/** True for standard, padded, non-empty base64 without white space. Linear in the length. */
export function isBase64(data: string): boolean {
  return data.length > 0 && data.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(data);
}

/** How many bytes base64 stands for, without decoding it. */
export function decodedBytes(data: string): number {
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0;
  return (data.length / 4) * 3 - padding;
}
