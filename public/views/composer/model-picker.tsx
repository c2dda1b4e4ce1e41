import { compact } from '../../state/format.ts';
import { useConsole } from '../context.tsx';

/** The registered models, with what matters for the choice. */
export function ModelPicker({
  value,
  onChange,
  disabled = false,
}: {
  value: string | undefined;
  onChange: (model: string) => void;
  disabled?: boolean;
}) {
  const { store } = useConsole();
  const models = store.boot.value?.models ?? [];
  const known = models.some(({ id }) => id === value);
  return (
    <label class="picker" title={disabled ? 'The model can be changed when the run is over' : 'Model'}>
      <span class="visually-hidden">Model</span>
      <select value={value ?? ''} disabled={disabled} onChange={(event) => onChange(event.currentTarget.value)}>
        {!known && <option value={value ?? ''}>{value ? `${value} (not registered)` : 'default model'}</option>}
        {models.map(({ id, label, contextWindow, supportsTools, supportsReasoning }) => (
          <option key={id} value={id}>
            {[
              label ?? id,
              contextWindow ? compact(contextWindow) : '',
              supportsTools ? '' : 'no tools',
              supportsReasoning ? 'reasons' : '',
            ]
              .filter(Boolean)
              .join(' · ')}
          </option>
        ))}
      </select>
    </label>
  );
}
