import { defineLookup } from '../../platform/database/hot/define-lookup.js';
import { accountScope } from '../../platform/database/scope.js';
import { employeeResource } from './employee-resource.js';

/** A page of the employees of an account in the order of positions. */
export interface PageKey {
  readonly accountId: string;
  /** Records of the page, at most 500. */
  readonly size: number;
  /** Start of the page: after the record at this position, or after a number of records. */
  readonly from: { readonly position: number } | { readonly skip: number };
}

/** The row of the statement. */
export interface EmployeePageRow {
  /** Resource objects as JSON, separated by commas. */
  readonly resources: string;
  /** Number of resource objects. */
  readonly count: number;
  /** Number of employees of the account. */
  readonly recordCount: number;
  /** Position of the last one; `null` on the last page. */
  readonly next: number | null;
}

/**
 * The limit of 500 is a constant, because the planner estimates an unknown limit as a tenth of the table. Whether a record
 * follows the page is read with ORDER BY and LIMIT 1: with EXISTS, the planner would read the table from its start. The start
 * of the page is computed in a subquery, which OFFSET 0 preserves: with row-level security, an index is not searched by a
 * comparison with a function of columns.
 */
const sql = `
  SELECT page.resources, page.count,
    (SELECT coalesce(sum(count), 0)::text FROM employee_counts
     WHERE employee_counts.account_id = request.account_id AND level = 4),
    CASE WHEN (SELECT position FROM employees
               WHERE account_id = request.account_id AND position > page.last_position
               ORDER BY position LIMIT 1) IS NOT NULL
      THEN page.last_position::text END
  FROM (
    SELECT CASE WHEN request.skip = 0 THEN request.after + 1
                ELSE employee_position_at(request.account_id, request.skip) END AS position
    OFFSET 0
  ) AS start
  CROSS JOIN LATERAL (
    SELECT string_agg(resource, ',') AS resources, count(*)::text AS count, max(position) AS last_position
    FROM (
      SELECT resource, position FROM (
        SELECT ${employeeResource} AS resource, position FROM employees
        WHERE account_id = request.account_id AND position >= start.position
        ORDER BY position LIMIT 500
      ) AS largest
      LIMIT request.size
    ) AS employees
  ) AS page`;

/**
 * A page of the account's employees in the order of their ids.
 *
 * Benchmarks `list` (1.6 times the limit), `list-1`, `sync` and `pages`; compared with the models in
 * test/employees/hot-statements.test.ts.
 */
export const employeePage = defineLookup<PageKey, 'account_id' | 'after' | 'skip' | 'size', EmployeePageRow>({
  name: 'employee_page',
  columns: { account_id: 'text', after: 'bigint', skip: 'bigint', size: 'integer' },
  request: ({ accountId, size, from }) => ({ account_id: accountId, ...startOf(from), size }),
  sql,
  toValue: ([resources, count, recordCount, next]) => ({
    resources: resources ?? '',
    count: Number(count),
    recordCount: Number(recordCount),
    next: next === null ? null : Number(next),
  }),
  scope: (keys) => accountScope(...keys.map(({ accountId }) => accountId)),
  // Few, so that a small page does not wait long for large ones.
  maximum: 8,
  atOnce: 3,
  distributed: {
    statement: {
      name: 'employee_page_of_account',
      text: `
        SELECT ${employeeResource}, position::text FROM employees
        WHERE account_id = $1 AND position >=
          CASE WHEN $2::bigint = 0 THEN $3::bigint + 1 ELSE employee_position_at($1, $2) END
        ORDER BY employees.position LIMIT $4::integer + 1`,
      followedBy: {
        name: 'employee_total_of_account',
        text: 'SELECT coalesce(sum(count), 0)::text FROM employee_counts WHERE account_id = $1 AND level = 4',
      },
    },
    values: ({ accountId, size, from }) => {
      const { skip, after } = startOf(from);
      return [accountId, skip, after, size];
    },
    toValue: (rows, { size }) => {
      const [found, total] = [rows.slice(0, -1), rows.at(-1)];
      const page = found.slice(0, size);
      return {
        resources: page.map(([resource]) => resource).join(','),
        count: page.length,
        recordCount: Number(total?.[0]),
        // One row more than the page shows that a record follows.
        next: found.length > size ? Number(page.at(-1)?.[1]) : null,
      };
    },
  },
});

function startOf(from: PageKey['from']): { after: number; skip: number } {
  return 'position' in from ? { after: from.position, skip: 0 } : { after: -1, skip: from.skip };
}
