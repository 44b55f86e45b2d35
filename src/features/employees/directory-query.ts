import type { AccountId } from '../../platform/accounts/account-id.js';
import { Prisma } from '../../platform/database/generated/client.js';
import { pageQuery } from '../../platform/database/page-query.js';
import { employeeColumns, employeeSelection } from './employee.js';
import { employeeOrder } from './employee-order.js';
import type { DirectoryFilter, DirectoryRequest } from './employee-page.js';
import { candidateRanges, matchesParts, maximumMatches, type SearchPart } from './employee-search.js';

/** Number of employees, and whether there may be more. */
export interface BoundedCount {
  readonly count: string;
  readonly more: boolean;
}

const { department, status, location } = employeeColumns;

/** Builds the queries of the directory. */
export class DirectoryQuery {
  readonly #accountId: AccountId;
  readonly #filter: DirectoryFilter;
  readonly #parts: readonly SearchPart[] | null;

  /** @param parts the parts of the search text; `null`: all employees */
  constructor(accountId: AccountId, filter: DirectoryFilter, parts: readonly SearchPart[] | null) {
    this.#accountId = accountId;
    this.#filter = filter;
    this.#parts = parts;
  }

  /** Query for the employees of a page. */
  page({ sort, size, skip }: Pick<DirectoryRequest, 'sort' | 'size' | 'skip'>): Prisma.Sql {
    return pageQuery(
      {
        source:
          this.#parts === null
            ? Prisma.sql`employees`
            : Prisma.sql`(SELECT DISTINCT ON (position) * FROM (${this.#candidates(this.#parts)}) found) employees`,
        condition: this.#condition(),
        order: employeeOrder(sort),
      },
      employeeSelection,
      { size, start: { skip } },
    );
  }

  /** Query for the {@link BoundedCount}. */
  count(): Prisma.Sql {
    if (this.#parts !== null) {
      return Prisma.sql`
        WITH candidates AS MATERIALIZED (${this.#candidates(this.#parts)})
        SELECT (SELECT count(DISTINCT position) FROM candidates WHERE ${this.#condition()})::text AS count,
          EXISTS (SELECT FROM candidates GROUP BY search_range HAVING count(*) > ${maximumMatches}) AS more`;
    }
    const filter = this.#filter;
    const byGroup = filter.department !== undefined || filter.status !== undefined;
    if (filter.location === undefined) {
      const sum = Prisma.sql`SELECT coalesce(sum(count), 0)::text AS count, false AS more`;
      if (byGroup) return Prisma.sql`${sum} FROM employee_facets WHERE ${this.#condition()}`;
      return Prisma.sql`${sum} FROM employee_counts WHERE account_id = ${this.#accountId} AND level = 4`;
    }
    if (!byGroup) {
      return Prisma.sql`
        SELECT coalesce(sum(count), 0)::text AS count, false AS more FROM employee_location_facets
        WHERE account_id = ${this.#accountId} AND location = ${filter.location ?? ''}`;
    }
    const limit = Prisma.raw(String(maximumMatches + 1));
    return Prisma.sql`
      SELECT count(*)::text AS count, count(*) > ${maximumMatches} AS more
      FROM (SELECT FROM employees WHERE ${this.#condition()} LIMIT ${limit}) found`;
  }

  #candidates(parts: readonly SearchPart[]): Prisma.Sql {
    return Prisma.join(candidateRanges(this.#accountId, parts), ' UNION ALL ');
  }

  #condition(): Prisma.Sql {
    const { department: inDepartment, status: withStatus, location: at } = this.#filter;
    const conditions = [Prisma.sql`account_id = ${this.#accountId}`];
    if (inDepartment !== undefined) conditions.push(Prisma.sql`${department.name} = ${inDepartment}`);
    if (withStatus !== undefined) conditions.push(Prisma.sql`${status.name} = ${withStatus}`);
    if (at === null) conditions.push(Prisma.sql`(${location.name} IS NULL OR ${location.name} = '')`);
    else if (at !== undefined) conditions.push(Prisma.sql`${location.name} = ${at}`);
    if (this.#parts !== null) conditions.push(matchesParts(this.#parts));
    return Prisma.join(conditions, ' AND ');
  }
}
