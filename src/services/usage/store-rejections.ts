import { type Database, Prisma } from '../../database/client.js';
import { accountScope, withScope } from '../../database/scope.js';
import type { Identified } from './identify-applications.js';
import { type Rejection, storedRejections } from './recent-rejections.js';

/** Omits rows of deleted accounts and rows that an earlier attempt has stored. */
const insertion = (rows: string) => Prisma.sql`
  INSERT INTO rejected_requests
    (account_id, application_id, created_at, id, user_id, request_id, operation, status, code)
  SELECT accounts.id, "applicationId", at, rejection.id, "userId", "requestId", operation, status, code
  FROM json_to_recordset(${rows}::json) AS rejection (
    "accountId" text, "applicationId" text, at timestamptz, id text, "userId" text, "requestId" text,
    operation text, status integer, code text)
  JOIN accounts ON accounts.id = "accountId"
  ON CONFLICT DO NOTHING`;

/**
 * Deletes all but the newest of each application. It skips locked rows, so that two processes do not deadlock. The next call
 * deletes the skipped rows.
 */
const trimming = (accountIds: readonly string[], applicationIds: readonly string[]) => Prisma.sql`
  DELETE FROM rejected_requests AS rejection USING (
    SELECT older.* FROM unnest(${accountIds}::text[], ${applicationIds}::text[]) AS named (account_id, application_id)
    CROSS JOIN LATERAL (
      SELECT account_id, application_id, created_at, id FROM rejected_requests
      WHERE account_id = named.account_id AND application_id = named.application_id
      ORDER BY created_at DESC, id DESC OFFSET ${storedRejections} FOR UPDATE SKIP LOCKED
    ) AS older
  ) AS surplus
  WHERE rejection.account_id = surplus.account_id AND rejection.application_id = surplus.application_id
    AND rejection.created_at = surplus.created_at AND rejection.id = surplus.id`;

/** Stores rejected requests and deletes the oldest ones beyond {@link storedRejections} for each application. */
export async function storeRejections(
  database: Database,
  rejections: readonly Identified<Rejection>[],
): Promise<void> {
  const rows = rejections.map((rejection) => ({ ...rejection, at: new Date(rejection.at).toISOString() }));
  const accounts = new Map(rejections.map(({ applicationId, accountId }) => [applicationId, accountId]));
  const scope = accountScope(...accounts.values());
  await withScope(scope, async () => {
    await database.prisma.$executeRaw(insertion(JSON.stringify(rows)));
    await database.prisma.$executeRaw(trimming([...accounts.values()], [...accounts.keys()]));
  });
}
