import { invalidParameter } from '../problems/problem.js';

/** One key of a sort order, as services take it. */
export interface SortKey<Key> {
  readonly key: Key;
  readonly descending: boolean;
}

/**
 * Reads a `sort` parameter that the contract's pattern has let through.
 *
 * @param keys the attributes that the pattern names, and what services call them
 * @throws {Problem} 400 `invalid_request` when an attribute is named twice
 */
export function parseSort<Key>(
  sort: string | undefined,
  keys: Readonly<Record<string, Key>>,
): SortKey<Key>[] {
  const given = (sort?.split(',') ?? []).map((part) => ({
    name: part.replace(/^-/, ''),
    descending: part.startsWith('-'),
  }));
  if (new Set(given.map(({ name }) => name)).size < given.length) {
    throw invalidParameter('sort', 'must not name an attribute twice');
  }
  return given.map(({ name, descending }) => {
    const key = keys[name];
    if (key === undefined) throw new Error(`The contract lets sort=${name} through, which no list knows`);
    return { key, descending };
  });
}
