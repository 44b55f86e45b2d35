/** Median and range of one number over all rounds. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** The median. */
export function median(values: ArrayLike<number>): number {
  return quantile(values, 0.5);
}

/** A quantile, for example 0.99. */
export function quantile(values: ArrayLike<number>, part: number): number {
  if (values.length === 0) return Number.NaN;
  const sorted = Float64Array.from(values).sort();
  const place = (sorted.length - 1) * part;
  const below = Math.floor(place);
  const above = Math.ceil(place);
  return sorted[below] + (sorted[above] - sorted[below]) * (place - below);
}

export function spread(values: readonly number[]): Spread {
  return { median: median(values), least: Math.min(...values), most: Math.max(...values) };
}

/** Compares two series round by round, because disturbances of a round affect both. */
export function ratios(values: readonly number[], others: readonly number[]): Spread {
  return spread(values.map((value, index) => value / others[index]));
}

/**
 * Distance between two samples in standard deviations, by the Mann–Whitney U test. It is positive if the first sample has
 * the larger values.
 */
export function rankDistance(first: readonly number[], second: readonly number[]): number {
  const all = [
    ...first.map((value) => ({ value, isFirst: true })),
    ...second.map((value) => ({ value, isFirst: false })),
  ];
  all.sort((a, b) => a.value - b.value);
  let sum = 0;
  for (let start = 0; start < all.length; ) {
    let end = start;
    while (end < all.length && all[end].value === all[start].value) end += 1;
    // Equal values share the mean of their ranks, counted from 1.
    const rank = (start + 1 + end) / 2;
    for (let index = start; index < end; index += 1) if (all[index].isFirst) sum += rank;
    start = end;
  }
  const [n, m] = [first.length, second.length];
  const distance = sum - (n * (n + 1)) / 2 - (n * m) / 2;
  return distance / Math.sqrt((n * m * (n + m + 1)) / 12);
}
