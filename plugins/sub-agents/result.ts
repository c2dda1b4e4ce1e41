import { addUsage, noUsage, type SessionOutcome, type ToolOutput, type Usage } from '../../lib/plugin-api/index.ts';

/** `refused`: it never began, for instance because of a quota. `deleted`: somebody deleted its session. */
export type ChildStatus = SessionOutcome['status'] | 'timed_out' | 'refused' | 'deleted';

/** What came of one task. */
export interface ChildResult {
  title: string;
  role: string;
  status: ChildStatus;
  /** Its last words. */
  text: string;
  error?: string | undefined;
  /** Absent when it never began. */
  sessionId?: string;
  usage: Usage;
}

/** The result as the delegating model reads it, at most `most` characters. */
export function textOf(result: ChildResult, most: number): string {
  const note = noteOf(result);
  if (note === '') return cut(result, result.text || 'It ended without saying anything.', most);
  if (result.text === '') return cut(result, note, most);
  return cut(result, `${note}\n\nIts last words:\n\n${result.text}`, most);
}

/** Whether the delegating model is given it as a result, not as an error. */
export function succeeded({ status, text }: ChildResult): boolean {
  return status === 'completed' || (status === 'max_steps' && text !== '');
}

/**
 * One section per task, in the order of the tasks, together at most `most` characters; short results leave their share
 * to long ones.
 */
export function batchText(results: readonly ChildResult[], limits: { each: number; all: number }): string {
  const headings = results.map((result, index) => headingOf(result, index + 1));
  const texts = results.map((result) => textOf(result, limits.each));
  const taken = headings.reduce((sum, heading) => sum + heading.length + 4, 0);
  const shares = shareOut(
    texts.map((text) => text.length),
    Math.max(0, limits.all - taken),
  );
  return results
    .map((result, index) => `${headings[index]}\n\n${cut(result, texts[index] ?? '', shares[index] ?? 0)}`)
    .join('\n\n')
    .slice(0, limits.all);
}

/** For clients: which sessions worked, and what they cost. Their usage is counted on them, not on the session that delegated. */
export function dataOf(results: readonly ChildResult[]): Exclude<ToolOutput, string>['data'] {
  const children = results.map(({ text: _, error, sessionId, ...rest }) => ({
    ...rest,
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(error === undefined ? {} : { error: error.slice(0, 500) }),
  }));
  return { children, usage: results.reduce((sum, { usage }) => addUsage(sum, usage), noUsage) };
}

/** Gives everybody what they need, as far as it goes; who needs more than an equal share gets an equal share of what is left. */
function shareOut(needs: readonly number[], total: number): number[] {
  const shares = needs.map(() => 0);
  const smallestFirst = needs.map((need, index) => ({ need, index })).sort((a, b) => a.need - b.need);
  let left = total;
  for (const [position, { need, index }] of smallestFirst.entries()) {
    const share = Math.min(need, Math.floor(left / (needs.length - position)));
    shares[index] = share;
    left -= share;
  }
  return shares;
}

function headingOf({ title, role, status }: ChildResult, number: number): string {
  return `## ${number}. ${title} (${role}, ${status})`;
}

function noteOf({ status, error }: ChildResult): string {
  switch (status) {
    case 'completed':
      return '';
    case 'max_steps':
      return 'It was stopped at its limit of steps before it had finished.';
    case 'failed':
      return `It failed: ${error}`;
    case 'refused':
      return `It could not be started: ${error}`;
    case 'timed_out':
      return 'It was stopped because it took too long.';
    case 'cancelled':
      return 'A person cancelled it.';
    case 'interrupted':
      return 'It was interrupted.';
    case 'deleted':
      return 'Its session was deleted.';
  }
}

function cut({ sessionId }: ChildResult, text: string, most: number): string {
  if (text.length <= most) return text;
  const where = sessionId === undefined ? '' : `; the whole is in session ${sessionId}`;
  const marker = `\n[... cut at ${most} of ${text.length} characters${where}]`;
  // Where the marker would leave no room for the text, the text says more.
  const [kept, end] = marker.length > most / 2 ? [most, ''] : [most - marker.length, marker];
  return `${text.slice(0, kept).replace(/[\ud800-\udbff]$/, '')}${end}`;
}
