import type { Database } from '../../database/client.js';
import type { UserAuditContext } from '../audit-context.js';

/**
 * Failed second factors of a user in a day, after which codes of the authenticator app are rejected. The limit for each minute
 * alone would allow 14,400 guesses a day, of which one in 25 days succeeds.
 *
 * @see NIST SP 800-63B-4 section 3.2.2
 */
export const maximumFailuresInDay = 100;

const daySeconds = 86_400;

/**
 * Time until the user may enter a code of the authenticator app. Passkeys and recovery codes cannot be guessed, and are
 * accepted meanwhile.
 *
 * @returns seconds, at least 1; `null` when the limit is not reached
 */
export async function secondsUntilCodesAreAccepted(
  prisma: Database['prisma'],
  { accountId, userId, at }: UserAuditContext,
): Promise<number | null> {
  const since = new Date(at.getTime() - daySeconds * 1000);
  const rows = await prisma.$queryRaw<{ failedAt: Date }[]>`
    SELECT created_at AS "failedAt" FROM audit_events
    WHERE account_id = ${accountId} AND user_id = ${userId} AND type = 'second_factor.failed' AND created_at > ${since}
    ORDER BY created_at DESC OFFSET ${maximumFailuresInDay - 1} LIMIT 1`;
  const [row] = rows;
  if (row === undefined) return null;
  return Math.max(1, Math.ceil((row.failedAt.getTime() - since.getTime()) / 1000));
}
