import type { StoredCheckpoint } from './record-index.ts';

const author = 'Agent Session Service <checkpoints@service.invalid>';

/** The git commit of a record, as git stores it. It follows from the record and its parent alone, at any later time. */
export function commitContent(record: Omit<StoredCheckpoint, 'sha'>, parent: string | undefined): Buffer {
  const person = `${author} ${Math.floor(Date.parse(record.createdAt) / 1000)} +0000`;
  const lines = [
    `tree ${record.tree}`,
    ...(parent === undefined ? [] : [`parent ${parent}`]),
    `author ${person}`,
    `committer ${person}`,
    '',
    oneLine(record.label),
    '',
    `Checkpoint: ${record.id}`,
    '',
  ];
  return Buffer.from(lines.join('\n'));
}

/** A label as the subject of a commit: control characters, which git refuses or would split, become spaces. */
function oneLine(label: string): string {
  return label.replace(/[\p{Cc} ]+/gu, ' ').trim() || 'Checkpoint';
}
