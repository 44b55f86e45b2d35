import { Prisma } from './generated/client.js';
import { type Anchor, anchorOfRow, isAfter, type OrderTerm, orderBy } from './keyset.js';

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
export function cutPage<Row extends { readonly anchor: Anchor }>(
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
