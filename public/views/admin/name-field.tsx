/** The name of a new user or tenant. */
export function NameField({ value, onInput }: { value: string; onInput: (value: string) => void }) {
  return (
    <label class="field">
      Name
      <input required maxLength={120} value={value} onInput={(event) => onInput(event.currentTarget.value)} />
    </label>
  );
}
