/**
 * Numbers that look random and are the same for the same seed (mulberry32).
 *
 * @param {number} seed
 */
export function createRandom(seed) {
  let state = seed | 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const upTo = (count) => Math.floor(next() * count);
  return {
    next,
    upTo,
    chance: (probability) => next() < probability,
    pick: (items) => items[upTo(items.length)],
    /** A key of the object, as often as its value is large. */
    weighted(weights) {
      let left = next() * Object.values(weights).reduce((sum, weight) => sum + weight, 0);
      for (const [key, weight] of Object.entries(weights)) {
        left -= weight;
        if (left < 0) return key;
      }
      return Object.keys(weights)[0];
    },
    text: (length, alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789') =>
      Array.from({ length }, () => alphabet[upTo(alphabet.length)]).join(''),
  };
}
