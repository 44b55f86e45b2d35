import { Prisma } from '../../../database/client.js';
import { readRfc3339 } from '../rfc3339.js';

/** What rows are ordered by: an expression over the rows' source, and how a value of it is written as text. */
export interface OrderTerm {
  readonly value: Prisma.Sql;
  readonly type: 'text' | 'timestamptz' | 'int8';
  readonly descending: boolean;
}

/** `ORDER BY` list. */
export function orderList(terms: readonly OrderTerm[]): Prisma.Sql {
  return Prisma.join(terms.map(({ value, descending }) => (descending ? Prisma.sql`${value} DESC` : value)));
}

/** Condition that holds for the rows after the one that has these values in the terms. */
export function afterRow(terms: readonly OrderTerm[], values: readonly string[]): Prisma.Sql {
  const bounds = terms.map(
    ({ type }, index) => Prisma.sql`${values[index] ?? ''}::text::${Prisma.raw(type)}`,
  );
  const [first] = terms;
  if (first !== undefined && terms.every(({ descending }) => descending === first.descending)) {
    const row = Prisma.sql`(${Prisma.join(terms.map(({ value }) => value))})`;
    // One row comparison is a single range of the index.
    const comparison = first.descending ? Prisma.sql`<` : Prisma.sql`>`;
    return Prisma.sql`${row} ${comparison} (${Prisma.join(bounds)})`;
  }
  const alternatives = terms.map(({ value, descending }, index) => {
    const equal = terms
      .slice(0, index)
      .map((earlier, before) => Prisma.sql`${earlier.value} = ${bounds[before]}`);
    const beyond = descending
      ? Prisma.sql`${value} < ${bounds[index]}`
      : Prisma.sql`${value} > ${bounds[index]}`;
    return Prisma.sql`(${Prisma.join([...equal, beyond], ' AND ')})`;
  });
  return Prisma.sql`(${Prisma.join(alternatives, ' OR ')})`;
}

/** A term's value as text that {@link afterRow} reads back without loss. */
export function asText({ value, type }: OrderTerm): Prisma.Sql {
  return type === 'text' ? value : Prisma.sql`${value}::text`;
}

/** Whether values could be those of a row in the order of the terms. */
export function fitOrder(terms: readonly OrderTerm[], values: readonly string[]): boolean {
  return (
    values.length === terms.length &&
    terms.every(({ type }, index) => {
      const value = values[index] ?? '';
      if (type === 'int8') return /^\d{1,15}$/.test(value);
      return type === 'text' || isStoredMoment(value);
    })
  );
}

/** As the database writes a moment in UTC; what is none would be an error to it. */
function isStoredMoment(text: string): boolean {
  const [date, time] = text.split(' ');
  return text.endsWith('+00') && readRfc3339(`${date}T${time?.slice(0, -3)}Z`) !== null;
}
