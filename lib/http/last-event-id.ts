/**
 * Where a replay starts (contract: Stream format): the header wins over the query. What is not a non-negative whole number is
 * ignored, as if it had not been sent.
 */
export function lastEventId(request: Request, url: URL): number | undefined {
  return parse(request.headers.get('last-event-id')) ?? parse(url.searchParams.get('lastEventId'));
}

function parse(text: string | null): number | undefined {
  if (text === null || !/^\d{1,16}$/.test(text)) return undefined;
  const seq = Number(text);
  return Number.isSafeInteger(seq) ? seq : undefined;
}
