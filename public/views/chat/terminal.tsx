import { useState } from 'preact/hooks';
import { parseAnsi } from '../../markdown/ansi.ts';
import { count } from '../../state/format.ts';

const tailLines = 200;

/** Output as a terminal shows it: colours, the last 200 lines, everything on request. */
export function Terminal({ text, failed = false }: { text: string; failed?: boolean }) {
  const [all, setAll] = useState(false);
  const lines = text.split('\n');
  const cut = lines.length > tailLines && !all;
  const shown = cut ? lines.slice(-tailLines).join('\n') : text;
  return (
    <div class={`terminal ${failed ? 'failed' : ''}`}>
      {cut && (
        <p class="note">
          Last {tailLines} of {count(lines.length)} lines{' '}
          <button type="button" class="link" onClick={() => setAll(true)}>
            show all
          </button>
        </p>
      )}
      <pre tabIndex={0}>
        {parseAnsi(shown).map(({ text: part, classes }, at) =>
          classes === '' ? (
            part
          ) : (
            <span key={at} class={classes}>
              {part}
            </span>
          ),
        )}
      </pre>
    </div>
  );
}
