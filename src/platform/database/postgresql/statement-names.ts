import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

const defaultMaxNames = 500;
const maxTextLength = 8_000;

/** Uses after which a text gets a name. */
const minUses = 3;

/** Maximum number of unnamed texts whose uses are counted. */
const maxCountedTexts = 1_000;

/**
 * Creates a function that names SQL texts. The server parses and plans a named text once for each connection, and an unnamed
 * one (`''`) for each use.
 *
 * The number of names is bounded, because the driver and the server keep a named statement until the connection closes. The
 * requests of clients vary the text: the filters and sort keys of a list, the words of a search. So a text gets a name at
 * its third use, when it is still among the thousand unnamed texts that were used last. Texts that are used once or twice
 * take no name.
 *
 * @param maxNames maximum number of names; further texts stay unnamed
 */
export function createStatementNames(
  maxNames = defaultMaxNames,
): (statement: { readonly sql: string }) => string {
  const names = new Map<string, string>();
  const uses = new LRUCache<string, number>({ max: maxCountedTexts });
  return ({ sql }) => {
    // Its value is part of the text.
    if (sql.startsWith('SET LOCAL ')) return '';
    const name = names.get(sql);
    if (name !== undefined) return name;
    if (names.size >= maxNames || sql.length > maxTextLength) return '';
    const count = (uses.get(sql) ?? 0) + 1;
    if (count < minUses) {
      uses.set(sql, count);
      return '';
    }
    uses.delete(sql);
    const newName = `s_${createHash('sha256').update(sql).digest('base64url').slice(0, 22)}`;
    names.set(sql, newName);
    return newName;
  };
}
