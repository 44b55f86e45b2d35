import { Prisma } from '../../database/generated/client.js';
import { type Employee, type EmployeeSortKey, employeeColumns } from './employee.js';

/** One key of a sort order. */
export interface EmployeeSort {
  readonly key: EmployeeSortKey;
  readonly descending: boolean;
}

/** The last record of a page: its sort values in the order of the sort keys, and its position. */
export interface Anchor {
  readonly values: readonly string[];
  readonly position: number;
}

interface Term {
  readonly column: Prisma.Sql;
  readonly descending: boolean;
}

// Qualified: a bare name in ORDER BY would mean a column of the select list, and no index orders that.
const position = Prisma.sql`employees.position`;

/**
 * Sort keys, then the position in the account, which orders as the id does. The position follows the direction
 * of the last key, so that one index serves both directions.
 */
function terms(sort: readonly EmployeeSort[]): Term[] {
  const keys = sort.map(({ key, descending }) => ({ column: employeeColumns[key], descending }));
  return [...keys, { column: position, descending: keys.at(-1)?.descending ?? false }];
}

/** `ORDER BY` list of a sort order. */
export function employeeOrder(sort: readonly EmployeeSort[]): Prisma.Sql {
  return Prisma.join(
    terms(sort).map(({ column, descending }) => (descending ? Prisma.sql`${column} DESC` : column)),
  );
}

/** Condition that holds for the records after the anchor. */
export function afterAnchor(sort: readonly EmployeeSort[], anchor: Anchor): Prisma.Sql {
  const bounds = [
    ...sort.map(({ key }, index) => {
      const value = anchor.values[index] ?? '';
      return key === 'updatedAt' ? Prisma.sql`${value}::timestamptz` : Prisma.sql`${value}`;
    }),
    Prisma.sql`${anchor.position}::bigint`,
  ];
  const keys = terms(sort);
  const [first] = keys;
  if (first !== undefined && keys.every(({ descending }) => descending === first.descending)) {
    const columns = Prisma.join(keys.map(({ column }) => column));
    // One row comparison is a single range of the index.
    return first.descending
      ? Prisma.sql`(${columns}) < (${Prisma.join(bounds)})`
      : Prisma.sql`(${columns}) > (${Prisma.join(bounds)})`;
  }
  const alternatives = keys.map(({ column, descending }, index) => {
    const equal = keys.slice(0, index).map((key, earlier) => Prisma.sql`${key.column} = ${bounds[earlier]}`);
    const beyond = descending
      ? Prisma.sql`${column} < ${bounds[index]}`
      : Prisma.sql`${column} > ${bounds[index]}`;
    return Prisma.sql`(${Prisma.join([...equal, beyond], ' AND ')})`;
  });
  return Prisma.sql`(${Prisma.join(alternatives, ' OR ')})`;
}

/** The anchor that a page's last record makes. */
export function anchorOf(sort: readonly EmployeeSort[], last: Employee & { position: number }): Anchor {
  const values = sort.map(({ key }) => {
    const value = last[key];
    return value instanceof Date ? value.toISOString() : value;
  });
  return { values, position: last.position };
}
