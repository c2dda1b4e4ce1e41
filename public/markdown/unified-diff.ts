export interface DiffLine {
  kind: 'add' | 'del' | 'same' | 'hunk';
  text: string;
  before: number | undefined;
  after: number | undefined;
}

/** The lines of a unified diff with their numbers; file headers are left out. At most `most` of them. */
export function parseDiff(patch: string, most = 5_000): { lines: DiffLine[]; cut: boolean } {
  const lines: DiffLine[] = [];
  let before = 0;
  let after = 0;
  let inHunk = false;
  for (const text of patch.split('\n')) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(text);
    if (hunk) {
      inHunk = true;
      before = Number(hunk[1]);
      after = Number(hunk[2]);
      lines.push({ kind: 'hunk', text, before: undefined, after: undefined });
    } else if (!inHunk || text.startsWith('\\')) continue;
    else if (text.startsWith('+')) lines.push({ kind: 'add', text: text.slice(1), before: undefined, after: after++ });
    else if (text.startsWith('-')) lines.push({ kind: 'del', text: text.slice(1), before: before++, after: undefined });
    else if (text.startsWith(' ')) lines.push({ kind: 'same', text: text.slice(1), before: before++, after: after++ });
    if (lines.length >= most) return { lines, cut: true };
  }
  return { lines, cut: false };
}

/** A diff of two short texts without comparing them: all of the old, then all of the new. */
export function replacementDiff(before: string, after: string): DiffLine[] {
  const part = (text: string, kind: 'add' | 'del'): DiffLine[] =>
    text === '' ? [] : text.split('\n').map((line) => ({ kind, text: line, before: undefined, after: undefined }));
  return [...part(before, 'del'), ...part(after, 'add')];
}
