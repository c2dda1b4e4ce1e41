/** How much of something is used, as a bar; it changes colour from `high` on. */
export function Gauge({ value, most, high, label }: { value: number; most: number; high: number; label: string }) {
  const percent = Math.min(100, (value / Math.max(1, most)) * 100);
  return (
    <span
      class={`gauge ${value >= high ? 'high' : ''}`}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={most}
      aria-valuenow={Math.min(value, most)}
    >
      <span style={{ width: `${percent}%` }} />
    </span>
  );
}
