/** The value below which that part of the numbers lies (0.5: the median), interpolated. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (sorted.length - 1) * part;
  const low = sorted[Math.floor(at)] ?? Number.NaN;
  const high = sorted[Math.ceil(at)] ?? low;
  return low + (high - low) * (at - Math.floor(at));
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Half of the range, relative to the median: how much rounds differ. */
export function spread(values: readonly number[]): number {
  const middle = median(values);
  return values.length < 2 || middle === 0 ? 0 : (Math.max(...values) - Math.min(...values)) / 2 / middle;
}

/** Three significant digits. */
export function short(value: number): string {
  if (Number.isNaN(value)) return '-';
  if (value === 0) return '0';
  if (Math.abs(value) >= 1_000_000) return `${(value / 1_000_000).toPrecision(3)}M`;
  if (Math.abs(value) >= 10_000) return `${(value / 1000).toPrecision(3)}k`;
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
