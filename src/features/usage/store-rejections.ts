import { type Database, Prisma } from '../../platform/database/client.js';
import { accountScope, withScope } from '../../platform/database/scope.js';
import type { Identified } from './identify-applications.js';
import { type RejectedRequest, storedRejections } from './recent-rejections.js';

/** Omits rows of deleted accounts and rows that an earlier attempt has stored. */
const insertion = (rows: string, accountIds: readonly string[]) => Prisma.sql`
  INSERT INTO rejected_requests
    (account_id, application_id, created_at, id, user_id, request_id, operation, status, code)
  SELECT account_totals.account_id, "applicationId", at, rejection.id, "userId", "requestId", operation, status, code
  FROM json_to_recordset(${rows}::json) AS rejection (
    "accountId" text, "applicationId" text, at timestamptz, id text, "userId" text, "requestId" text,
    operation text, status integer, code text)
  JOIN account_totals ON account_totals.account_id = "accountId"
  WHERE account_totals.account_id = ANY (${accountIds}::text[])
  ON CONFLICT DO NOTHING`;

/** Deletes all but the newest of each application. */
const trimming = (accountIds: readonly string[], applicationIds: readonly string[]) => Prisma.sql`
  DELETE FROM rejected_requests AS rejection USING (
    SELECT account_id, application_id, created_at, id,
      row_number() OVER (PARTITION BY account_id, application_id ORDER BY created_at DESC, id DESC) AS age
    FROM rejected_requests
    WHERE account_id = ANY (${accountIds}::text[]) AND application_id = ANY (${applicationIds}::text[])
  ) AS ranked
  WHERE rejection.account_id = ranked.account_id AND rejection.application_id = ranked.application_id
    AND rejection.created_at = ranked.created_at AND rejection.id = ranked.id AND ranked.age > ${storedRejections}`;

/** Stores rejected requests and deletes the oldest ones beyond {@link storedRejections} for each application. */
export async function storeRejections(
  database: Database,
  rejections: readonly Identified<RejectedRequest>[],
): Promise<void> {
  const rows = rejections.map((rejection) => ({ ...rejection, at: new Date(rejection.at).toISOString() }));
  const accountIds = [...new Set(rejections.map(({ accountId }) => accountId))];
  const applicationIds = [...new Set(rejections.map(({ applicationId }) => applicationId))];
  await withScope(accountScope(...accountIds), async () => {
    await database.prisma.$executeRaw(insertion(JSON.stringify(rows), accountIds));
    await database.prisma.$executeRaw(trimming(accountIds, applicationIds));
  });
}
