/** Pseudorandom numbers, the same for the same seed. */
export interface Random {
  /** A number from 0 up to, but not including, 1. */
  next(): number;
  /** An integer from 0 up to, but not including, `count`. */
  upTo(count: number): number;
  chance(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
  /** This many distinct items, in random order. */
  some<Item>(items: readonly Item[], count: number): Item[];
  /** One of the keys, chosen with a probability proportional to its value. */
  weighted<Key extends string>(weights: Readonly<Record<Key, number>>): Key;
  text(length: number, alphabet?: string): string;
}

/** A pseudorandom number generator (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed | 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const upTo = (count: number) => Math.floor(next() * count);
  return {
    next,
    upTo,
    chance: (probability) => next() < probability,
    pick: (items) => items[upTo(items.length)] as never,
    some(items, count) {
      const left = [...items];
      return Array.from(
        { length: Math.min(count, left.length) },
        () => left.splice(upTo(left.length), 1)[0] as never,
      );
    },
    weighted(weights) {
      const entries = Object.entries<number>(weights);
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      const chosen = entries.find(([, weight]) => {
        left -= weight;
        return left < 0;
      });
      return (chosen ?? entries[0])?.[0] as never;
    },
    text: (length, alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789') =>
      Array.from({ length }, () => alphabet.charAt(upTo(alphabet.length))).join(''),
  };
}
