import { hourMilliseconds } from '../../platform/clock.js';
import { type Database, Prisma } from '../../platform/database/client.js';
import { accountScope, allAccounts, withScope } from '../../platform/database/scope.js';
import {
  type CallingApplication,
  type FailureCount,
  type RejectedCall,
  storedFailures,
  storedRejections,
  type UsageCount,
} from './unstored-usage.js';

/** Stores a list in batches, and removes each batch from the list when it is stored. */
export async function storeInBatches<Call extends CallingApplication>(
  database: Database,
  calls: Call[],
  batchSize: number,
  store: (database: Database, batch: readonly Identified<Call>[]) => Promise<void>,
): Promise<void> {
  while (calls.length > 0) {
    const identified = await identifyApplications(database, calls.slice(0, batchSize));
    if (identified.length > 0) await store(database, identified);
    calls.splice(0, batchSize);
  }
}

/** A call with its application. */
type Identified<Call extends CallingApplication> = Call & {
  readonly accountId: string;
  readonly applicationId: string;
};

/**
 * Finds the applications of calls that have only a client id, because they were rejected before the application was read.
 * It uses one query. Calls of deleted applications are omitted.
 */
async function identifyApplications<Call extends CallingApplication>(
  database: Database,
  calls: readonly Call[],
): Promise<Identified<Call>[]> {
  const clientIds = new Set(calls.flatMap((call) => (isIdentified(call) ? [] : (call.clientId ?? []))));
  // In the scope of all accounts, because the accounts are not known yet.
  const applications =
    clientIds.size === 0
      ? []
      : await withScope(allAccounts, () =>
          database.prisma.application.findMany({
            where: { clientId: { in: [...clientIds] } },
            select: { clientId: true, id: true, accountId: true },
          }),
        );
  const found = new Map(
    applications.map(({ clientId, id, accountId }) => [clientId, { applicationId: id, accountId }]),
  );
  return calls.flatMap((call) => {
    if (isIdentified(call)) return call;
    const application = found.get(call.clientId ?? '');
    return application === undefined ? [] : { ...call, ...application };
  });
}

function isIdentified<Call extends CallingApplication>(call: Call): call is Identified<Call> {
  return call.applicationId !== undefined && call.accountId !== undefined;
}

/**
 * The rows are ordered, so that processes that store the same counts do not deadlock. The join omits deleted accounts, whose
 * rows would fail the statement. The sums are for counts that occur twice, with the client id and with the application id:
 * ON CONFLICT DO UPDATE fails when two rows have the same key.
 */
const insertUsage = (rows: string, accountIds: readonly string[]) => Prisma.sql`
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

/** As {@link insertUsage}. It joins another table, because Citus does not distribute this one. */
const insertFailures = (rows: string, accountIds: readonly string[]) => Prisma.sql`
  INSERT INTO failed_authentications AS stored (account_id, application_id, hour, failures)
  SELECT accounts.id, "applicationId", hour, sum(failures)
  FROM json_to_recordset(${rows}::json) AS count (
    "accountId" text, "applicationId" text, hour timestamptz, failures bigint)
  JOIN accounts ON accounts.id = "accountId"
  WHERE accounts.id = ANY (${accountIds}::text[])
  GROUP BY 1, 2, 3
  ORDER BY 1, 2, 3
  ON CONFLICT (account_id, application_id, hour) DO UPDATE SET failures = stored.failures + excluded.failures`;

/** Adds counts to the stored ones in one statement, which {@link insertUsage} or {@link insertFailures} builds. */
const storeCounts =
  (insert: typeof insertUsage) =>
  async (database: Database, counts: readonly Identified<UsageCount | FailureCount>[]): Promise<void> => {
    const rows = counts.map((count) => ({ ...count, hour: new Date(count.hour).toISOString() }));
    const accountIds = [...new Set(counts.map(({ accountId }) => accountId))];
    await withScope(accountScope(...accountIds), () =>
      database.prisma.$executeRaw(insert(JSON.stringify(rows), accountIds)),
    );
  };

export const storeUsage = storeCounts(insertUsage);

/** Adds failed client authentications to the stored ones. */
export const storeFailures = storeCounts(insertFailures);

/** Omits rows of deleted accounts and rows that an earlier attempt has stored. */
const insertRejections = (rows: string, accountIds: readonly string[]) => Prisma.sql`
  INSERT INTO rejected_requests
    (account_id, application_id, created_at, id, user_id, request_id, operation, status, code, failed_authentication)
  SELECT account_totals.account_id, "applicationId", at, rejection.id, "userId", "requestId", operation, status, code, failed
  FROM json_to_recordset(${rows}::json) AS rejection (
    "accountId" text, "applicationId" text, at timestamptz, id text, "userId" text, "requestId" text,
    operation text, status integer, code text, failed boolean)
  JOIN account_totals ON account_totals.account_id = "accountId"
  WHERE account_totals.account_id = ANY (${accountIds}::text[])
  ON CONFLICT DO NOTHING`;

/** Deletes all but the newest of each application, failed client authentications excepted. */
const deleteOldest = (accountIds: readonly string[], applicationIds: readonly string[]) => Prisma.sql`
  DELETE FROM rejected_requests AS rejection USING (
    SELECT account_id, application_id, created_at, id,
      row_number() OVER (PARTITION BY account_id, application_id ORDER BY created_at DESC, id DESC) AS age
    FROM rejected_requests
    WHERE account_id = ANY (${accountIds}::text[]) AND application_id = ANY (${applicationIds}::text[])
      AND NOT failed_authentication
  ) AS ranked
  WHERE rejection.account_id = ranked.account_id AND rejection.application_id = ranked.application_id
    AND rejection.created_at = ranked.created_at AND rejection.id = ranked.id AND ranked.age > ${storedRejections}`;

/** Deletes the failed client authentications since a time that are not among the first of their hour and application. */
const deleteFailures = (
  accountIds: readonly string[],
  applicationIds: readonly string[],
  since: Date,
) => Prisma.sql`
  DELETE FROM rejected_requests AS rejection USING (
    SELECT account_id, application_id, created_at, id,
      row_number() OVER (
        PARTITION BY account_id, application_id, date_trunc('hour', created_at, 'UTC') ORDER BY created_at, id) AS place
    FROM rejected_requests
    WHERE account_id = ANY (${accountIds}::text[]) AND application_id = ANY (${applicationIds}::text[])
      AND created_at >= ${since} AND failed_authentication
  ) AS ranked
  WHERE rejection.account_id = ranked.account_id AND rejection.application_id = ranked.application_id
    AND rejection.created_at = ranked.created_at AND rejection.id = ranked.id AND ranked.place > ${storedFailures}`;

/**
 * Stores rejected requests, and deletes those that are too many for an application: the oldest ones beyond {@link storedRejections},
 * and the failed client authentications of an hour beyond {@link storedFailures}.
 */
export async function storeRejections(
  database: Database,
  rejections: readonly Identified<RejectedCall>[],
): Promise<void> {
  const rows = rejections.map((rejection) => ({ ...rejection, at: new Date(rejection.at).toISOString() }));
  const accountIds = [...new Set(rejections.map(({ accountId }) => accountId))];
  const applicationIds = [...new Set(rejections.map(({ applicationId }) => applicationId))];
  const failedAt = rejections.filter(({ failed }) => failed).map(({ at }) => at);
  const firstHour = Math.floor(Math.min(...failedAt) / hourMilliseconds) * hourMilliseconds;
  await withScope(accountScope(...accountIds), async () => {
    await database.prisma.$executeRaw(insertRejections(JSON.stringify(rows), accountIds));
    if (failedAt.length < rejections.length)
      await database.prisma.$executeRaw(deleteOldest(accountIds, applicationIds));
    if (failedAt.length > 0)
      await database.prisma.$executeRaw(deleteFailures(accountIds, applicationIds, new Date(firstHour)));
  });
}
