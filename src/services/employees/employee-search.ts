import { Prisma } from '../../database/generated/client.js';
import { type EmployeeColumn, employeeColumns } from './employee.js';
import type { EmployeeCondition } from './employee-query.js';

/** Maximum length of a search text, in characters; the rest is ignored. */
export const maximumSearchLength = 100;

const { firstName, lastName, email, employeeNumber } = employeeColumns;

/**
 * Builds the condition for employees with a first name, last name, e-mail address or number that starts with the text, or
 * with such values for each of its words: "ada lov" and "Lovelace, Ada" find the same person. Each alternative is a range
 * of an existing index.
 */
export function employeeSearch(text: string): EmployeeCondition {
  return { columns: [firstName, lastName, email, employeeNumber], sql: matches(text) };
}

function matches(text: string): Prisma.Sql {
  const whole = text.trim().replaceAll(/\s+/g, ' ').slice(0, maximumSearchLength);
  const words = whole.split(/[\s,]+/).filter((word) => word !== '');
  const phrase = anyOf(whole);
  if (words.length < 2) return words[0] === undefined ? Prisma.sql`true` : anyOf(words[0]);
  // The whole phrase finds names that consist of several words.
  return Prisma.sql`(${phrase} OR (${Prisma.join(words.map(anyOf), ' AND ')}))`;
}

function anyOf(prefix: string): Prisma.Sql {
  const [lower, upper] = [prefix.toLowerCase(), prefix.toUpperCase()];
  const ranges = [
    ...distinct([prefix, ...asNames(lower)]).flatMap((name) => [
      beginsWith(firstName, name),
      beginsWith(lastName, name),
    ]),
    ...distinct([prefix, lower]).map((address) => beginsWith(email, address)),
    ...distinct([prefix, upper, lower]).map((number) => beginsWith(employeeNumber, number)),
  ];
  return Prisma.sql`(${Prisma.join(ranges, ' OR ')})`;
}

/** Usual spellings of a name in lower case, because the index is case-sensitive. */
function asNames(lower: string): string[] {
  const capitalised = lower.replaceAll(
    /(^|[\s'’-])(\p{L})/gu,
    (_, before, letter) => before + letter.toUpperCase(),
  );
  const firstOnly = lower.replace(/^\p{L}/u, (letter) => letter.toUpperCase());
  const clan = capitalised.replaceAll(
    /\b(Mc|Mac)(\p{Ll})/gu,
    (_, clan, letter) => clan + letter.toUpperCase(),
  );
  return [lower, firstOnly, capitalised, clan, lower.toUpperCase()];
}

/** The column's collation compares code points, and U+10FFFF is the last one. */
function beginsWith({ name }: EmployeeColumn, prefix: string): Prisma.Sql {
  return Prisma.sql`(${name} >= ${prefix} AND ${name} < ${`${prefix}\u{10FFFF}`})`;
}

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)];
}
