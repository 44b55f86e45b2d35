/** The value that half of the others are below. */
export function median(values) {
  return quantile(values, 0.5);
}

/** The value that a part of the others is below, for example 0.99 of them. */
export function quantile(values, part) {
  if (values.length === 0) return Number.NaN;
  const sorted = Float64Array.from(values).sort();
  const place = (sorted.length - 1) * part;
  const below = Math.floor(place);
  const above = Math.ceil(place);
  return sorted[below] + (sorted[above] - sorted[below]) * (place - below);
}

/**
 * Median and range of one number over all rounds.
 *
 * @param {number[]} values
 */
export function spread(values) {
  return { median: median(values), least: Math.min(...values), most: Math.max(...values) };
}

/** Compares two series round by round: what slowed one round slowed both sides of it. */
export function ratios(values, others) {
  return spread(values.map((value, index) => value / others[index]));
}
