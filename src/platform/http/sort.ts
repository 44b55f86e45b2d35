/** One key of a sort order, as services expect it. */
export interface SortKey<Key> {
  readonly key: Key;
  readonly descending: boolean;
}

/**
 * Reads a `sort` parameter that matches the pattern of the contract. Only the first occurrence of a repeated attribute
 * counts.
 *
 * @param keys attributes of the pattern, and their properties in services
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
