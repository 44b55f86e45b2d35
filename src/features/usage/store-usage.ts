import { type Database, Prisma } from '../../platform/database/client.js';
import { accountScope, withScope } from '../../platform/database/scope.js';
import type { Identified } from './identify-applications.js';
import type { UsageCount } from './usage-counts.js';

/**
 * The rows are ordered, so that processes that store the same counts do not deadlock. The join omits deleted accounts, whose
 * rows would fail the statement. The sums are for counts that occur twice, with the client id and with the application id:
 * ON CONFLICT DO UPDATE fails when two rows have the same key.
 */
const insertion = (rows: string, accountIds: readonly string[]) => Prisma.sql`
  INSERT INTO api_usage AS usage
    (account_id, application_id, hour, operation, user_id, calls, errors, rate_limited, records)
  SELECT account_totals.account_id, "applicationId", hour, operation, "userId",
         sum(calls), sum(errors), sum("rateLimited"), sum(records)
  FROM json_to_recordset(${rows}::json) AS count (
    "accountId" text, "applicationId" text, hour timestamptz, operation text, "userId" text,
    calls bigint, errors bigint, "rateLimited" bigint, records bigint)
  JOIN account_totals ON account_totals.account_id = "accountId"
  WHERE account_totals.account_id = ANY (${accountIds}::text[])
  GROUP BY 1, 2, 3, 4, 5
  ORDER BY 1, 2, 3, 4, 5
  ON CONFLICT (account_id, application_id, hour, operation, user_id) DO UPDATE SET
    calls = usage.calls + excluded.calls, errors = usage.errors + excluded.errors,
    rate_limited = usage.rate_limited + excluded.rate_limited, records = usage.records + excluded.records`;

/** Adds counts to the stored ones in one statement. */
export async function storeUsage(
  database: Database,
  counts: readonly Identified<UsageCount>[],
): Promise<void> {
  const rows = counts.map((count) => ({ ...count, hour: new Date(count.hour).toISOString() }));
  const accountIds = [...new Set(counts.map(({ accountId }) => accountId))];
  await withScope(accountScope(...accountIds), () =>
    database.prisma.$executeRaw(insertion(JSON.stringify(rows), accountIds)),
  );
}
