import { useState } from 'preact/hooks';
import { type DiffLine, parseDiff } from '../../markdown/unified-diff.ts';

const firstLines = 400;

export function UnifiedDiff({ patch }: { patch: string }) {
  const { lines, cut } = parseDiff(patch);
  return (
    <>
      <DiffLines lines={lines} />
      {cut && <p class="note">Only the first 5,000 lines are shown.</p>}
    </>
  );
}

/** Lines of a diff: sign, numbers and colour together, never colour alone. */
export function DiffLines({ lines }: { lines: readonly DiffLine[] }) {
  const [all, setAll] = useState(false);
  const shown = all ? lines : lines.slice(0, firstLines);
  return (
    <div class="diff" tabIndex={0} role="region" aria-label="Changes">
      <table>
        <tbody>
          {shown.map(({ kind, text, before, after }, at) => (
            <tr key={at} class={kind}>
              <td class="number">{before}</td>
              <td class="number">{after}</td>
              <td class="sign">{kind === 'add' ? '+' : kind === 'del' ? '-' : ''}</td>
              <td class="text">{text}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length < lines.length && (
        <button type="button" class="link" onClick={() => setAll(true)}>
          Show all {lines.length} lines
        </button>
      )}
    </div>
  );
}
