/**
 * How far two samples are from being of one distribution, in standard deviations (Mann and Whitney's test). Positive
 * where the first one has the larger values.
 *
 * @param {number[]} first
 * @param {number[]} second
 */
export function rankDistance(first, second) {
  const all = [
    ...first.map((value) => ({ value, first: true })),
    ...second.map((value) => ({ value, first: false })),
  ];
  all.sort((a, b) => a.value - b.value);
  let sum = 0;
  for (let start = 0; start < all.length; ) {
    let end = start;
    while (end < all.length && all[end].value === all[start].value) end += 1;
    // Equal values share the mean of their ranks, counted from 1.
    const rank = (start + 1 + end) / 2;
    for (let index = start; index < end; index += 1) if (all[index].first) sum += rank;
    start = end;
  }
  const [n, m] = [first.length, second.length];
  const distance = sum - (n * (n + 1)) / 2 - (n * m) / 2;
  return distance / Math.sqrt((n * m * (n + m + 1)) / 12);
}
