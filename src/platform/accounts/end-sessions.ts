import type { Prisma } from '../database/client.js';

/**
 * Deletes sessions, and stores a notice for each application to notify: one with a back-channel logout URI and a grant of the
 * session, revoked or not. The URI of an application of another account is not in the scope, so its notice is always stored.
 *
 * It is one statement. The applications are locked against deletion, because a notice refers to its application.
 *
 * @param condition selects rows of `sessions`
 * @returns number of deleted sessions
 * @see OpenID Connect Back-Channel Logout 1.0 section 2.5
 */
export async function endSessions(
  tx: Prisma.TransactionClient,
  condition: Prisma.Sql,
  at: Date,
): Promise<number> {
  const [row] = await tx.$queryRaw<{ count: number }[]>`
    WITH ended AS (
      DELETE FROM sessions WHERE ${condition} RETURNING account_id, user_id, sid
    ), notified AS MATERIALIZED (
      SELECT grants.account_id, grants.application_id, grants.user_id, grants.sid
      FROM ended
        JOIN grants ON grants.account_id = ended.account_id AND grants.user_id = ended.user_id AND grants.sid = ended.sid
        JOIN applications application
          ON application.account_id = grants.account_id AND application.id = grants.application_id
        LEFT JOIN shared_applications shared ON shared.client_id = application.installed_client_id
      WHERE application.backchannel_logout_uri IS NOT NULL OR shared.application_id IS NOT NULL
      ORDER BY application.id FOR KEY SHARE OF application
    ), stored AS (
      INSERT INTO logout_notices (account_id, application_id, user_id, sid, due_at, created_at)
      SELECT DISTINCT account_id, application_id, user_id, sid, ${at}::timestamptz, ${at}::timestamptz FROM notified
    )
    SELECT count(*)::int AS count FROM ended`;
  return row?.count ?? 0;
}
