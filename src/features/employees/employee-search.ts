import { Prisma } from '../../platform/database/generated/client.js';
import { type EmployeeColumn, employeeColumns } from './employee.js';

/** Maximum length of a search text, in characters; the rest is ignored. */
export const maximumSearchLength = 100;

/** Maximum number of employees that a search reads for each way to find them. */
export const maximumMatches = 1000;

const { email, employeeNumber } = employeeColumns;

/** Every key has all words of a name; key n starts with word n. */
const nameKeys = [1, 2, 3, 4, 5].map((number) => Prisma.raw(`search_key_${number}`));

/** A part of a search text without white space and commas. An employee must match every part. */
export interface SearchPart {
  /** As it was entered: the start of an e-mail address or a number. */
  readonly text: string;
  /** Each is the start of a word of the name. */
  readonly words: readonly string[];
}

/** Separates the parts of a search text. Their words are folded by {@link readSearch}. */
export function searchParts(text: string): string[] {
  const start = [...text].slice(0, maximumSearchLength).join('');
  return [...new Set(start.split(/[\s,]+/).filter((part) => part !== ''))];
}

/** Reads the parts of a search text; `null` for a text without any. The database folds their words, as it folds names. */
export async function readSearch(
  prisma: Pick<Prisma.TransactionClient, '$queryRaw'>,
  text: string,
): Promise<SearchPart[] | null> {
  const parts = searchParts(text);
  if (parts.length === 0) return null;
  const rows = await prisma.$queryRaw<{ folded: string }[]>`
    SELECT fold_for_search(part) AS folded FROM unnest(${parts}::text[]) WITH ORDINALITY AS given (part, place)
    ORDER BY place`;
  return parts.map((part, index) => ({
    text: part,
    words: (rows[index]?.folded ?? '').split(' ').filter((word) => word !== ''),
  }));
}

/**
 * Builds the queries that find employees of an account, each a range of an index of at most {@link maximumMatches} + 1
 * employees. The result must be filtered by {@link matchesParts}. An employee can be in several of them.
 */
export function candidateRanges(accountId: string, parts: readonly SearchPart[]): Prisma.Sql[] {
  const ranges: Prisma.Sql[] = [];
  const add = (column: Prisma.Sql, prefix: string) => {
    ranges.push(Prisma.sql`
      (SELECT employees.*, ${ranges.length}::int AS search_range FROM employees
       WHERE account_id = ${accountId} AND ${column} >= ${prefix} AND ${column} < ${`${prefix}\u{10FFFF}`}
       ORDER BY ${column} LIMIT ${Prisma.raw(String(maximumMatches + 1))})`);
  };
  const phrases = [parts, parts.toReversed()].map((order) => order.flatMap(({ words }) => words).join(' '));
  // All matches are in the ranges of any part. The longest has the fewest.
  const part = longest(parts, ({ text }) => text);
  const names = [longest(part?.words ?? [], (word) => word) ?? '', ...phrases];
  for (const prefix of new Set(names.filter((name) => name !== '')))
    for (const key of nameKeys) add(key, prefix);
  if (part !== undefined) {
    for (const prefix of spellings(part.text))
      for (const column of [email, employeeNumber]) add(column.name, prefix);
  }
  return ranges;
}

/** Builds the condition that an employee matches every part. */
export function matchesParts(parts: readonly SearchPart[]): Prisma.Sql {
  return Prisma.join(parts.map(matchesPart), ' AND ');
}

function matchesPart({ text, words }: SearchPart): Prisma.Sql {
  const given = Prisma.sql`lower(${text}::text COLLATE "C")`;
  const starts = ({ name }: EmployeeColumn) => Prisma.sql`starts_with(lower(${name}), ${given})`;
  const others = [starts(email), starts(employeeNumber)];
  const name = words.map((word) => Prisma.sql`strpos(' ' || search_key_1, ${` ${word}`}) > 0`);
  const ways = name.length === 0 ? others : [Prisma.sql`(${Prisma.join(name, ' AND ')})`, ...others];
  return Prisma.sql`(${Prisma.join(ways, ' OR ')})`;
}

/** The indexes of e-mail addresses and numbers are case-sensitive. */
function spellings(text: string): Set<string> {
  return new Set([text, text.toLowerCase(), text.toUpperCase()]);
}

function longest<Item>(items: readonly Item[], text: (item: Item) => string): Item | undefined {
  return items.toSorted((a, b) => text(b).length - text(a).length)[0];
}
