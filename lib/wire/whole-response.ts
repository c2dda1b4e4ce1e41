/** Of all copies of this module: bundles have one each. */
const bodyGiven = Symbol.for('service.response.body');

/** A Response that keeps what it is made of, so that the host writes it in one piece with its length. Bytes must not change any more. */
export function wholeResponse(body: string | Uint8Array<ArrayBuffer>, init: ResponseInit = {}): Response {
  return Object.defineProperty(new Response(body, init), bodyGiven, { value: body });
}

/** What {@link wholeResponse} was given; undefined for any other Response, and once its body was read. */
export function wholeBody(response: Response): string | Uint8Array | undefined {
  const body: unknown = Reflect.get(response, bodyGiven);
  return (typeof body === 'string' || body instanceof Uint8Array) && !response.bodyUsed ? body : undefined;
}
