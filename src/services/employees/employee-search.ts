import { Prisma } from '../../database/generated/client.js';
import { type EmployeeColumn, employeeColumns } from './employee.js';
import type { EmployeeCondition } from './employee-query.js';

/** Longest text that is searched for. */
export const maximumSearchLength = 100;

const { firstName, lastName, email, employeeNumber } = employeeColumns;

/**
 * Condition that holds for employees whose first name, last name, e-mail address or number begins with the text,
 * or with each of its words: "ada lov" and "Lovelace, Ada" find the same person. Every alternative is a range of
 * an index that the table has anyway.
 */
export function employeeSearch(text: string): EmployeeCondition {
  return { columns: [firstName, lastName, email, employeeNumber], sql: matches(text) };
}

function matches(text: string): Prisma.Sql {
  const whole = text.trim().replaceAll(/\s+/g, ' ').slice(0, maximumSearchLength);
  const words = whole.split(/[\s,]+/).filter((word) => word !== '');
  const phrase = anyOf(whole);
  if (words.length < 2) return words[0] === undefined ? Prisma.sql`true` : anyOf(words[0]);
  // The phrase as such is for names of several words.
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

/** The index compares letters exactly, so a name that was typed in small letters is tried in the usual spellings. */
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

/** By code point, as the column's collation compares; no character comes after the bound that is added. */
function beginsWith({ name }: EmployeeColumn, prefix: string): Prisma.Sql {
  return Prisma.sql`(${name} >= ${prefix} AND ${name} < ${`${prefix}\u{10FFFF}`})`;
}

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)];
}
