import type { Database } from '../../database/client.js';
import { accountScope } from '../../database/scope.js';
import { unnested } from '../../database/unnested.js';
import type { AccountId } from '../account-id.js';
import { createBatcher } from '../batcher.js';

/** Which part of an account's list, which is in the order of positions. */
export interface SliceRequest {
  readonly accountId: AccountId;
  readonly size: number;
  /** Where to begin: after the record at this position, or after so many records. */
  readonly from: { readonly position: number } | { readonly skip: number };
}

/** A part of a list. */
export interface Slice {
  /** Resource objects as JSON, separated by commas. */
  readonly resources: string;
  /** Number of resource objects. */
  readonly count: number;
  readonly recordCount: number;
  /** Position of the last one; `null` when no employee is left after it. */
  readonly next: number | null;
}

type FoundRow = [ordinal: string, resource: string];

type SliceRow = [
  ordinal: string,
  resources: string | null,
  count: string,
  recordCount: string,
  next: string | null,
];

/** Sizes whose lists are read here: each makes a prepared statement of its own. */
const sizes: readonly number[] = [10, 20, 25, 50, 100, 200, 250, 500];

/** A statement reads about so many records, so that nobody waits long for the pages of others. */
const recordsAtOnce = 400;

/**
 * The two reads that the service exists for, as fast as they can be made: the database keeps every record as JSON, and
 * requests that arrive together share a statement. They say what `listEmployees` says.
 */
export class EmployeeResources {
  readonly #find: (key: { accountId: AccountId; id: string }) => Promise<string | null>;
  readonly #slices: ReadonlyMap<number, (request: SliceRequest) => Promise<Slice>>;

  constructor(database: Database) {
    this.#find = createBatcher(
      async (keys) => {
        const accountIds = keys.map(({ accountId }) => accountId);
        const rows = await database.queryText<FoundRow>(
          findQuery,
          [accountIds, keys.map(({ id }) => id)],
          accountScope(...accountIds),
        );
        const found: (string | null)[] = keys.map(() => null);
        for (const [ordinal, resource] of rows) found[Number(ordinal) - 1] = resource;
        return found;
      },
      { maximum: 32, atOnce: 2 },
    );
    this.#slices = new Map(
      sizes.map((size) => {
        const query = sliceQuery(size);
        const maximum = Math.max(1, Math.floor(recordsAtOnce / size));
        return [
          size,
          createBatcher((requests) => readSlices(database, query, requests), { maximum, atOnce: 3 }),
        ];
      }),
    );
  }

  /** JSON of the account's employee with this id; `null` when there is none, or it is another account's. */
  find(accountId: AccountId, id: string): Promise<string | null> {
    return this.#find({ accountId, id });
  }

  /** Part of the account's whole list by id; `undefined` for a size that is too unusual to be prepared for. */
  slice(request: SliceRequest): Promise<Slice> | undefined {
    return this.#slices.get(request.size)?.(request);
  }
}

const findQuery = `
  SELECT request.ordinal::text, resource
  FROM ${unnested('text', 'text')} AS request (account_id, id, ordinal)
  JOIN employees ON employees.id = request.id AND employees.account_id = request.account_id`;

async function readSlices(
  database: Database,
  query: string,
  requests: readonly SliceRequest[],
): Promise<Slice[]> {
  const accountIds = requests.map(({ accountId }) => accountId);
  const rows = await database.queryText<SliceRow>(
    query,
    [
      accountIds,
      requests.map(({ from }) => ('position' in from ? from.position : -1)),
      requests.map(({ from }) => ('skip' in from ? from.skip : 0)),
    ],
    accountScope(...accountIds),
  );
  const slices: Slice[] = [];
  for (const [ordinal, resources, count, recordCount, next] of rows) {
    slices[Number(ordinal) - 1] = {
      resources: resources ?? '',
      count: Number(count),
      recordCount: Number(recordCount),
      next: next === null ? null : Number(next),
    };
  }
  return slices;
}

/**
 * The size is written into the statement: the planner makes nothing good of a limit that it does not know. The record
 * after the page is asked for as the first of those that follow: whether there is any, the planner would look up by
 * reading the table from its beginning. Where a page begins is worked out apart, which OFFSET 0 keeps it: row-level
 * security keeps functions of columns out of comparisons that an index is searched by.
 */
function sliceQuery(size: number): string {
  return `
    SELECT request.ordinal::text, page.resources, page.count,
      (SELECT coalesce(sum(count), 0)::text FROM employee_counts
       WHERE employee_counts.account_id = request.account_id AND level = 4),
      CASE WHEN (SELECT position FROM employees
                 WHERE account_id = request.account_id AND position > page.last_position
                 ORDER BY position LIMIT 1) IS NOT NULL
        THEN page.last_position::text END
    FROM ${unnested('text', 'bigint', 'bigint')} AS request (account_id, after, skip, ordinal)
    CROSS JOIN LATERAL (
      SELECT CASE WHEN request.skip = 0 THEN request.after + 1
                  ELSE employee_position_at(request.account_id, request.skip) END AS position
      OFFSET 0
    ) AS beginning
    CROSS JOIN LATERAL (
      SELECT string_agg(resource, ',') AS resources, count(*)::text AS count, max(position) AS last_position
      FROM (
        SELECT resource, position FROM employees
        WHERE account_id = request.account_id
          AND position >= beginning.position
        ORDER BY position LIMIT ${size}
      ) AS employees
    ) AS page`;
}
