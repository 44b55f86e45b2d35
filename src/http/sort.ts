/** One key of a sort order, as services take it. */
export interface SortKey<Key> {
  readonly key: Key;
  readonly descending: boolean;
}

/**
 * Reads a `sort` parameter that the contract's pattern accepts. An attribute that is repeated counts where it is first:
 * later it could not change the order.
 *
 * @param keys the attributes that the pattern names, and what services call them
 */
export function parseSort<Key>(
  sort: string | undefined,
  keys: Readonly<Record<string, Key>>,
): SortKey<Key>[] {
  const directions = new Map<string, boolean>();
  for (const part of sort?.split(',') ?? []) {
    const name = part.replace(/^-/, '');
    if (!directions.has(name)) directions.set(name, part.startsWith('-'));
  }
  return [...directions].map(([name, descending]) => {
    const key = keys[name];
    if (key === undefined)
      throw new Error(`The contract accepts sort=${name}, which is not in the list of keys`);
    return { key, descending };
  });
}
