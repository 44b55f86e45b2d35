import { createHash } from 'node:crypto';

const maxNames = 500;
const maxTextLength = 8_000;

/**
 * Makes a function that names SQL texts, so that the server parses and plans each of them once a connection.
 * The name depends on the text alone. Beyond the bound a text gets no name and is parsed every time: lists of
 * varying length would otherwise fill the server's memory with statements that are never used again.
 */
export function createStatementNames(limit = maxNames): (statement: { readonly sql: string }) => string {
  const names = new Map<string, string>();
  return ({ sql }) => {
    const known = names.get(sql);
    if (known !== undefined) return known;
    if (names.size >= limit || sql.length > maxTextLength) return '';
    const name = `s_${createHash('sha256').update(sql).digest('base64url').slice(0, 22)}`;
    names.set(sql, name);
    return name;
  };
}
