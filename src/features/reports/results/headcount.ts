import type { AccountId } from '../../../platform/accounts/account-id.js';
import { Prisma, type ReadDatabase } from '../../../platform/database/client.js';
import { accountScope } from '../../../platform/database/scope.js';
import {
  type AsOf,
  EmployeeQuery,
  employeeColumns,
  type HistoryDates,
  parseAsOf,
} from '../../employees/index.js';
import { countedDays } from '../computed-keys.js';

/** The number of employees at the end of a date, by status. */
export interface Headcount {
  /** `YYYY-MM-DD`. */
  readonly date: string;
  readonly counts: ReadonlyMap<string, number>;
}

/** The last days of the last twelve months that are in the history, and today. */
export function headcountDates(history: HistoryDates): AsOf[] {
  return countedDays(history.latest)
    .map((date) => parseAsOf(date, history))
    .filter((date) => date !== null);
}

interface StatusCount {
  readonly status: string;
  readonly size: number;
}

/** A change of the numbers between two dates, or after the last one. */
interface StatusChange extends StatusCount {
  /** Number of the last date before the change, from 1. */
  readonly after: number;
}

/**
 * Reads the number of employees by status at the end of each date: the present numbers without the later changes, which are read
 * once for all dates. Deleted employees are not counted.
 *
 * @param signal cancels the statement
 */
export async function readHeadcounts(
  database: ReadDatabase,
  { accountId, dates, signal }: { accountId: AccountId; dates: readonly AsOf[]; signal: AbortSignal },
): Promise<Headcount[]> {
  const { text, values } = headcountQuery(accountId, dates);
  const [result] = await database.queryReport<{ present: string; changes: string }>(text, values, {
    scope: accountScope(accountId),
    signal,
  });
  const present: StatusCount[] = JSON.parse(result?.present ?? '[]');
  const changes: StatusChange[] = JSON.parse(result?.changes ?? '[]');
  return dates.map(({ date }, index) => {
    const counts = new Map(present.map(({ status, size }) => [status, size]));
    for (const { status, size, after } of changes)
      if (after > index) counts.set(status, (counts.get(status) ?? 0) - size);
    return { date, counts: new Map([...counts].filter(([, count]) => count !== 0)) };
  });
}

function headcountQuery(accountId: AccountId, dates: readonly AsOf[]): Prisma.Sql {
  const present = new EmployeeQuery(accountId, []).groups([employeeColumns.status]);
  const ends = Prisma.sql`${dates.map(({ end }) => end.toISOString())}::text[]::timestamptz[]`;
  const later = Prisma.sql`
    account_id = ${accountId} AND occurred_at >= (${ends})[1] AND attributes IS NOT NULL`;
  const isStatusChange = Prisma.sql`type = 'employee.updated' AND 'status' = ANY (changed)`;
  return Prisma.sql`
    SELECT
      (SELECT coalesce(json_agg(json_build_object('status', key_0, 'size', size)), '[]')::text
        FROM (${present}) AS groups) AS present,
      (SELECT coalesce(json_agg(json_build_object('status', status, 'size', size, 'after', after)), '[]')::text
        FROM (
          SELECT status, width_bucket(occurred_at, ${ends}) AS after, sum(size) AS size FROM (
            SELECT occurred_at, attributes ->> 'status' AS status, 1 AS size FROM events
            WHERE ${later} AND (type = 'employee.created' OR ${isStatusChange})
            UNION ALL
            SELECT occurred_at, previous ->> 'status', -1 FROM events WHERE ${later} AND ${isStatusChange}
          ) AS change
          GROUP BY 1, 2
        ) AS changes) AS changes`;
}
