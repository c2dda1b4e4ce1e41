import { duration } from '../../state/format.ts';
import { Icon } from '../parts/icon.tsx';

/** What the model thought, folded to one line. */
export function Reasoning({ text, durationMs }: { text: string; durationMs?: number | undefined }) {
  return (
    <details class="reasoning">
      <summary>
        <Icon name="right" />
        {durationMs === undefined ? 'Thought' : `Thought ${duration(durationMs)}`}
      </summary>
      <div class="reasoning-text">{text}</div>
    </details>
  );
}
