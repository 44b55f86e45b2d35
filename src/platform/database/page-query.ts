import { isDateText, isStorableText } from '../contract/outside-text.js';
import { Prisma } from './generated/client.js';

/** One expression of an order. Its values are never NULL; a timestamp has milliseconds and an integer is not negative. */
export interface OrderTerm {
  readonly value: Prisma.Sql;
  readonly type: 'text' | 'date' | 'timestamptz' | 'int8' | 'numeric';
  readonly descending: boolean;
  /** Of a text. Absent: that of the column, by code point. Pages that start after an anchor must not have another one. */
  readonly collation?: 'und-x-icu' | undefined;
}

/** The values of a row in the terms of an order, as text. The last terms make it unique. */
export type Anchor = readonly string[];

/** Builds the `ORDER BY` list of an order. */
export function orderBy(terms: readonly OrderTerm[]): Prisma.Sql {
  return Prisma.join(
    terms.map(({ value, descending, collation }) => {
      const collated =
        collation === undefined ? value : Prisma.sql`${value} COLLATE ${Prisma.raw(`"${collation}"`)}`;
      return descending ? Prisma.sql`${collated} DESC` : collated;
    }),
  );
}

/** Builds the expression for the anchor of a row, of the type `text[]`. */
function anchorOfRow(terms: readonly OrderTerm[]): Prisma.Sql {
  return Prisma.sql`ARRAY[${Prisma.join(terms.map(asText))}]::text[]`;
}

function asText({ value, type }: OrderTerm): Prisma.Sql {
  if (type === 'timestamptz') return timestampExpression(value);
  if (type === 'date') return dateExpression(value);
  return type === 'text' ? value : Prisma.sql`${value}::text`;
}

/** Builds the expression for a date as RFC 3339 text. */
export function dateExpression(date: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`to_char(${date}, 'YYYY-MM-DD')`;
}

/** Builds the expression for a timestamp as RFC 3339 text in UTC with milliseconds. */
export function timestampExpression(timestamp: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`to_char(${timestamp} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/** Builds the condition that holds for the rows after an anchor. */
function isAfter(terms: readonly OrderTerm[], anchor: Anchor): Prisma.Sql {
  const bounds = terms.map(({ type }, index) => bound(type, anchor[index] ?? ''));
  const [first] = terms;
  if (first === undefined) throw new RangeError('An order has at least one term');
  const { descending } = first;
  if (terms.every((term) => term.descending === descending)) {
    // One row comparison is a single range of the index.
    const row = Prisma.sql`(${Prisma.join(terms.map(({ value }) => value))})`;
    return Prisma.sql`${row} ${descending ? Prisma.sql`<` : Prisma.sql`>`} (${Prisma.join(bounds)})`;
  }
  const alternatives = terms.map((term, index) => {
    const equal = terms.slice(0, index).map(({ value }, at) => Prisma.sql`${value} = ${bounds[at]}`);
    const beyond = Prisma.sql`${term.value} ${term.descending ? Prisma.sql`<` : Prisma.sql`>`} ${bounds[index]}`;
    return Prisma.sql`(${Prisma.join([...equal, beyond], ' AND ')})`;
  });
  // The first comparison follows from the others. It makes the condition a range of the index.
  return Prisma.sql`
    ${first.value} ${descending ? Prisma.sql`<=` : Prisma.sql`>=`} ${bounds[0]}
    AND (${Prisma.join(alternatives, ' OR ')})`;
}

function bound(type: OrderTerm['type'], text: string): Prisma.Sql {
  return type === 'text' ? Prisma.sql`${text}::text` : Prisma.sql`${text}::text::${Prisma.raw(type)}`;
}

/** Returns whether a value from a client can be the anchor of a row: the database accepts each part of it. */
export function isAnchor(terms: readonly OrderTerm[], value: unknown): value is Anchor {
  return (
    Array.isArray(value) &&
    value.length === terms.length &&
    terms.every(({ type }, index) => isValue[type](value[index]))
  );
}

const isValue: Readonly<Record<OrderTerm['type'], (value: unknown) => boolean>> = {
  text: isStorableText,
  int8: (value) => typeof value === 'string' && /^\d{1,15}$/.test(value),
  numeric: (value) => typeof value === 'string' && /^-?\d{1,20}(\.\d{1,15})?$/.test(value),
  date: isDateText,
  timestamptz: isTimestampText,
};

const earliest = Date.parse('0001-01-01T00:00:00.000Z');
const latest = Date.parse('9999-12-31T23:59:59.999Z');

function isTimestampText(value: unknown): boolean {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return time >= earliest && time <= latest && new Date(time).toISOString() === value;
}

/** Ordered rows that are read in pages. */
export interface OrderedRows {
  /** The `FROM` clause. */
  readonly source: Prisma.Sql;
  /** The `WHERE` clause. */
  readonly condition: Prisma.Sql;
  readonly order: readonly OrderTerm[];
  /** Builds the condition that holds for all but the first `skip` rows. Absent: the database reads and skips them. */
  readonly seek?: ((skip: number) => Prisma.Sql) | undefined;
}

/** Start of a page: after a row of an earlier page, or after a number of rows. */
export type PageStart = { readonly anchor: Anchor } | { readonly skip: number };

/** Builds the query for the rows of a page, each with its `anchor`, and for at least one row after them. */
export function pageQuery(
  { source, condition, order, seek }: OrderedRows,
  columns: Prisma.Sql,
  { size, start }: { size: number; start: PageStart },
): Prisma.Sql {
  return Prisma.sql`
    SELECT ${columns}, ${anchorOfRow(order)} AS anchor FROM ${source}
    WHERE ${condition} ${startCondition(start, order, seek)}
    ORDER BY ${orderBy(order)}
    LIMIT ${fetchLimit(size)} ${offset(start, seek)}`;
}

/** Separates the rows of a page from those after it. */
export function splitPage<Row extends { readonly anchor: Anchor }>(
  rows: readonly Row[],
  size: number,
): { rows: readonly Row[]; nextAnchor: Anchor | null } {
  // A row after the page means that there is a next page. The count may be of another snapshot.
  const last = rows.length > size ? rows[size - 1] : undefined;
  return { rows: rows.slice(0, size), nextAnchor: last?.anchor ?? null };
}

function startCondition(
  start: PageStart,
  order: OrderedRows['order'],
  seek: OrderedRows['seek'],
): Prisma.Sql {
  if ('anchor' in start) return Prisma.sql`AND ${isAfter(order, start.anchor)}`;
  return seek === undefined || start.skip === 0 ? Prisma.empty : Prisma.sql`AND ${seek(start.skip)}`;
}

function offset(start: PageStart, seek: OrderedRows['seek']): Prisma.Sql {
  if ('anchor' in start || seek !== undefined) return Prisma.empty;
  return Prisma.sql`OFFSET ${start.skip}::int8`;
}

const usualSizes = [10, 20, 50, 100, 200, 500];

/**
 * The limit is part of the text, because the planner estimates a parameter as a tenth of the table and sorts all rows. It is
 * one of a few numbers, because each one needs its own prepared statement.
 */
function fetchLimit(size: number): Prisma.Sql {
  return Prisma.raw(String((usualSizes.find((usual) => usual >= size) ?? size) + 1));
}
