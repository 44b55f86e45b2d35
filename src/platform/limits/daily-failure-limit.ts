import type { UserAuditContext } from '../audit/audit-context.js';
import type { Database } from '../database/client.js';

/**
 * Failures of a user in a day, after which attempts are rejected. The limit for each minute alone would allow 14,400 guesses a
 * day: of the codes of an authenticator app, one in 25 days succeeds.
 *
 * @see NIST SP 800-63B-4 section 3.2.2
 */
export const maximumFailuresInDay = 100;

const daySeconds = 86_400;

/**
 * Time until another attempt of the user is accepted.
 *
 * @param type of the audit events of the failures
 * @returns seconds, at least 1; `null` when the limit is not reached
 */
export async function secondsUntilAccepted(
  prisma: Database['prisma'],
  { accountId, userId, at }: UserAuditContext,
  type: 'second_factor.failed' | 'reauthentication.failed',
): Promise<number | null> {
  const since = new Date(at.getTime() - daySeconds * 1000);
  const rows = await prisma.$queryRaw<{ failedAt: Date }[]>`
    SELECT created_at AS "failedAt" FROM audit_events
    WHERE account_id = ${accountId} AND user_id = ${userId} AND type = ${type} AND created_at > ${since}
    ORDER BY created_at DESC OFFSET ${maximumFailuresInDay - 1} LIMIT 1`;
  const [row] = rows;
  if (row === undefined) return null;
  return Math.max(1, Math.ceil((row.failedAt.getTime() - since.getTime()) / 1000));
}
