import type { AccountId } from '../../platform/accounts/account-id.js';
import { Prisma } from '../../platform/database/generated/client.js';
import {
  type Anchor,
  isAnchor,
  type OrderedRows,
  type OrderTerm,
} from '../../platform/database/page-query.js';
import { type Employee, type EmployeeColumn, employeeColumns } from './employee.js';
import type { GivenValues } from './employee-attributes.js';

/** A filter of employees. An employee must match all members that are present. */
export type EmployeeFilter = { readonly [Member in keyof GivenValues]?: string | undefined } & {
  readonly updatedSince?: Date | undefined;
};

export function filterConditions(
  accountId: AccountId,
  { updatedSince, ...equal }: EmployeeFilter,
): EmployeeCondition[] {
  const conditions = Object.entries(equal).flatMap(([member, value]) => {
    if (value === undefined) return [];
    const column = employeeColumns[member as keyof typeof equal];
    return [
      column === employeeColumns.email ? isEqualInAnyCase(accountId, column, value) : isEqual(column, value),
    ];
  });
  if (updatedSince === undefined) return conditions;
  const { updatedAt } = employeeColumns;
  const sql = Prisma.sql`${updatedAt.name} >= ${updatedSince}::timestamptz`;
  return [...conditions, { columns: [updatedAt], sql }];
}

/**
 * Most addresses are in lower case. The column `folded_email` has the lower case of the others. Two queries and not OR, for which
 * PostgreSQL would read all employees, because bitmap scans are off for pages.
 */
function isEqualInAnyCase(accountId: AccountId, column: EmployeeColumn, value: string): EmployeeCondition {
  const found = ['email', 'folded_email'].map(
    (name) => Prisma.sql`
      SELECT position FROM employees
      WHERE account_id = ${accountId} AND ${Prisma.raw(name)} = lower(${value} COLLATE "C")`,
  );
  return { columns: [column], sql: Prisma.sql`position = ANY (ARRAY(${Prisma.join(found, ' UNION ALL ')}))` };
}

function isEqual(column: EmployeeColumn, value: string): EmployeeCondition {
  const given =
    column.type === 'text' ? Prisma.sql`${value}` : Prisma.sql`${value}::text::${Prisma.raw(column.type)}`;
  return { columns: [column], sql: Prisma.sql`${column.name} = ${given}` };
}

export interface EmployeeSort {
  readonly key: keyof Employee;
  readonly descending: boolean;
}

/** The last employee of a page: its values in the order of the sort keys, and its position. */
export interface EmployeeAnchor {
  readonly values: readonly string[];
  readonly position: number;
}

/** Ends a sort order with the id, in the direction of the last key: one index serves both directions. */
export function employeeOrder(sort: readonly EmployeeSort[]): OrderTerm[] {
  // Keys after the id do not change the order, because ids are unique.
  const end = sort.findIndex(({ key }) => key === 'id');
  const byId: EmployeeSort = { key: 'id', descending: sort.at(-1)?.descending ?? false };
  const keys = end === -1 ? [...sort, byId] : sort.slice(0, end + 1);
  return keys.flatMap(({ key, descending }) =>
    employeeColumns[key].order.map((term) => ({ ...term, descending })),
  );
}

/** Returns whether a sort order is ascending by id. */
export function isById([first]: readonly EmployeeSort[]): boolean {
  return first === undefined || (first.key === 'id' && !first.descending);
}

/** Returns whether a value from a client can be the anchor of an employee in a sort order. */
export function isEmployeeAnchor(value: unknown, sort: readonly EmployeeSort[]): value is EmployeeAnchor {
  const { values, position } = (value ?? {}) as Partial<EmployeeAnchor>;
  return (
    Array.isArray(values) &&
    typeof position === 'number' &&
    isAnchor(employeeOrder(sort), [...values, String(position)])
  );
}

/** Reads the anchor of a row; its last term is the position. */
export function toEmployeeAnchor(anchor: Anchor): EmployeeAnchor {
  return { values: anchor.slice(0, -1), position: Number(anchor.at(-1)) };
}

/** The values that {@link toEmployeeAnchor} reads. */
export function fromEmployeeAnchor({ values, position }: EmployeeAnchor): Anchor {
  return [...values, String(position)];
}

/** A page of a list of employees. */
export interface EmployeeListRequest {
  readonly filter: EmployeeFilter;
  /** Empty: by id. */
  readonly sort: readonly EmployeeSort[];
  readonly size: number;
  /** Start of the page: after an employee of an earlier page, or after a number of employees. */
  readonly from: { readonly anchor: EmployeeAnchor } | { readonly skip: number };
}

/** A page of employees as resource objects. */
export interface EmployeePage {
  /** Resource objects as JSON, separated by commas. */
  readonly resources: string;
  /** Number of resource objects. */
  readonly count: number;
  /** Total number of employees on all pages. */
  readonly recordCount: number;
  /** Start of the next page; `null` on the last page. */
  readonly nextAnchor: EmployeeAnchor | null;
}

/** A condition on employees, and the columns that it reads. */
export interface EmployeeCondition {
  readonly columns: readonly EmployeeColumn[];
  readonly sql: Prisma.Sql;
}

/** A value that employees are grouped by. */
type GroupColumn = Pick<EmployeeColumn, 'name' | 'hasFacets'>;

/** Builds queries for the employees of one account that meet every condition: pages, count and groups. */
export class EmployeeQuery {
  readonly #accountId: AccountId;
  readonly #conditions: readonly EmployeeCondition[];

  constructor(accountId: AccountId, conditions: readonly EmployeeCondition[]) {
    this.#accountId = accountId;
    this.#conditions = conditions;
  }

  /** The employees in a sort order. Employees with equal values are ordered by id, in the direction of the last key. */
  inOrder(sort: readonly EmployeeSort[]): OrderedRows {
    const seeks = this.#conditions.length === 0 && isById(sort);
    return {
      source: Prisma.sql`employees`,
      condition: this.#condition(),
      order: employeeOrder(sort),
      seek: seeks ? (skip) => this.#seek(skip) : undefined,
    };
  }

  /** Query for the number of employees, as the text `count`. */
  count(): Prisma.Sql {
    if (this.#conditions.length === 0) {
      return Prisma.sql`
        SELECT coalesce(sum(count), 0)::text AS count FROM employee_counts
        WHERE account_id = ${this.#accountId} AND level = 4`;
    }
    const { source, size } = this.#counted([]);
    return Prisma.sql`SELECT coalesce(${size}, 0)::text AS count FROM ${source} WHERE ${this.#condition()}`;
  }

  /** Query for the groups of employees with the same values: the values as `key_0`, `key_1` …, and their `size`. */
  groups(columns: readonly GroupColumn[]): Prisma.Sql {
    const { source, size } = this.#counted(columns);
    const keys = columns.map(({ name }, index) => Prisma.sql`${name} AS ${Prisma.raw(`key_${index}`)}`);
    return Prisma.sql`
      SELECT ${Prisma.join(keys)}, ${size} AS size FROM ${source} WHERE ${this.#condition()}
      GROUP BY ${Prisma.raw(columns.map((_, index) => index + 1).join(', '))}`;
  }

  #condition(): Prisma.Sql {
    const conditions = this.#conditions.map(({ sql }) => sql);
    return Prisma.join([Prisma.sql`account_id = ${this.#accountId}`, ...conditions], ' AND ');
  }

  /** The table to count: the maintained counts if they have all columns that the query reads, else the employees. */
  #counted(grouped: readonly GroupColumn[]): { source: Prisma.Sql; size: Prisma.Sql } {
    const columns = [...grouped, ...this.#conditions.flatMap((condition) => condition.columns)];
    return columns.every(({ hasFacets }) => hasFacets)
      ? { source: Prisma.sql`employee_facets`, size: Prisma.sql`sum(count)::int8` }
      : { source: Prisma.sql`employees`, size: Prisma.sql`count(*)` };
  }

  #seek(skip: number): Prisma.Sql {
    return Prisma.sql`position >= (SELECT employee_position_at(${this.#accountId}, ${skip}::int8))`;
  }
}
