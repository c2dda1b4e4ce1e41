/**
 * Where a replay starts (contract: Stream format): the header wins over the query. What is not a non-negative whole number is
 * ignored, as if it had not been sent.
 */
export function lastEventId(request: Request, url: URL): number | undefined {
  return parse(request.headers.get('last-event-id')) ?? parse(url.searchParams.get('lastEventId'));
}

function parse(text: string | null): number | undefined {
  if (text === null || !/^\d+$/.test(text)) return undefined;
  // Beyond every seq there can be: from the future, and so nothing to replay.
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
}
