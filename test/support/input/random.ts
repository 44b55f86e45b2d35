/** Numbers that look random and are the same in every run. */
export interface Random {
  upTo(count: number): number;
  chance(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
  /** So many different items, in any order. */
  some<Item>(items: readonly Item[], count: number): Item[];
}

/** A small generator (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const upTo = (count: number) => Math.floor(next() * count);
  return {
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
  };
}
