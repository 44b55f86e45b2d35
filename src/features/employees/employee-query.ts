import type { AccountId } from '../../platform/accounts/account-id.js';
import { Prisma } from '../../platform/database/generated/client.js';
import type { OrderedRows } from '../../platform/database/page-query.js';
import type { EmployeeColumn } from './employee.js';
import { type EmployeeSort, employeeOrder, isById } from './employee-order.js';

/** A condition on employees, and the columns that it reads. */
export interface EmployeeCondition {
  readonly columns: readonly EmployeeColumn[];
  readonly sql: Prisma.Sql;
}

/** A value that employees are grouped by. */
export type GroupColumn = Pick<EmployeeColumn, 'name' | 'hasFacets'>;

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
