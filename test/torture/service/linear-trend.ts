/** How y rises with x, and how far off that may be: the true slope lies within `margin` of it, 95 times of 100. */
export interface Trend {
  slope: number;
  margin: number;
}

/**
 * Least squares through points of (x, y), x evenly spaced. Samples of memory resemble the ones before them, so that there is less to be
 * known from them than their number says: the margin is widened by the correlation of neighbours (of first order).
 * Undefined for fewer than ten points: they tell nothing.
 */
export function trendOf(points: readonly (readonly [x: number, y: number])[]): Trend | undefined {
  if (points.length < 10) return undefined;
  const mean = (at: 0 | 1): number => points.reduce((sum, point) => sum + point[at], 0) / points.length;
  const [middle, height] = [mean(0), mean(1)];
  const spread = points.reduce((sum, [x]) => sum + (x - middle) ** 2, 0);
  const slope = points.reduce((sum, [x, y]) => sum + (x - middle) * (y - height), 0) / spread;
  const rests = points.map(([x, y]) => y - height - slope * (x - middle));
  const squares = rests.reduce((sum, rest) => sum + rest ** 2, 0);
  const together = rests.slice(1).reduce((sum, rest, at) => sum + rest * (rests[at] ?? 0), 0);
  const correlation = squares === 0 ? 0 : Math.min(0.95, Math.max(0, together / squares));
  const free = Math.max(1, (points.length * (1 - correlation)) / (1 + correlation) - 2);
  const error = Math.sqrt(squares / (points.length - 2) / spread) * Math.sqrt((1 + correlation) / (1 - correlation));
  return { slope, margin: student(free) * error };
}

/** The 97.5 % point of Student's distribution, within 1 % from three degrees of freedom on. */
function student(free: number): number {
  const normal = 1.96;
  const [second, third] = [(normal ** 3 + normal) / 4, (5 * normal ** 5 + 16 * normal ** 3 + 3 * normal) / 96];
  return normal + second / free + third / free ** 2 + (free < 3 ? 8 / free ** 3 : 1.6 / free ** 3);
}
