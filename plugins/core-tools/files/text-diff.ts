/** What a change did to a file, for the person who watches. `diff` is a unified diff. */
export interface TextDiff {
  diff: string;
  additions: number;
  deletions: number;
}

/** Comparing runs on the main thread: it gives up before anybody notices. */
const timeoutMs = 60;
const mostChars = 1_000_000;
const mostDiffChars = 100_000;

/** Undefined when the texts are too large, or too different to compare quickly. */
export async function diffTexts(path: string, before: string, after: string): Promise<TextDiff | undefined> {
  if (before.length + after.length > mostChars) return undefined;
  const { createTwoFilesPatch } = await import('diff');
  const options = { context: 3, timeout: timeoutMs };
  const patch = createTwoFilesPatch(path, path, before, after, undefined, undefined, options);
  if (patch === undefined || patch.length > mostDiffChars) return undefined;
  const diff = patch.replace(/^Index: .*\n=+\n/, '');
  const lines = diff.split('\n').slice(2);
  const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length;
  return { diff, additions: count('+'), deletions: count('-') };
}
