import type { AdapterRequestContext, HattipHandler } from '@hattip/core';

/** Calls a fetch handler as an adapter would, without a socket. */
export async function invoke<P>(
  handler: HattipHandler<P>,
  platform: P,
  path: string,
  init: RequestInit = {},
): Promise<Response> {
  const context: AdapterRequestContext<P> = {
    request: new Request(new URL(path, 'http://service.internal'), init),
    ip: '127.0.0.1',
    platform,
    env: () => undefined,
    passThrough() {},
    waitUntil() {},
  };
  return handler(context);
}

/** An error answer in short: its status and code. */
export async function errorOf(response: Response): Promise<{ status: number; code: string; message: string }> {
  const body = (await response.json()) as { error: { code: string; message: string } };
  return { status: response.status, code: body.error.code, message: body.error.message };
}
