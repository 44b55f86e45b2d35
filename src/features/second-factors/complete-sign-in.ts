import { hashSessionId, newSessionId } from '../../platform/accounts/sessions.js';
import { recordIn, type UserAuditContext } from '../../platform/audit/audit-log.js';
import type { Prisma } from '../../platform/database/client.js';

/** The kind of the second factor that a user proved. */
export type SecondFactorMethod = 'authenticator app' | 'passkey' | 'recovery code';

/**
 * Locks the enabled user, in the transaction of the caller.
 *
 * @returns whether the user is enabled
 */
export async function lockEnabledUser(
  tx: Prisma.TransactionClient,
  { accountId, userId }: UserAuditContext,
): Promise<boolean> {
  const rows = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM users
    WHERE account_id = ${accountId} AND id = ${userId} AND disabled_at IS NULL FOR NO KEY UPDATE`;
  return rows.length > 0;
}

/**
 * Stores in a session that its user proved a second factor, in the transaction of the caller. With the first one it gets a
 * new id, so that an id that was obtained or fixated before is of no use.
 *
 * @returns the id of the session from now on; `null` when the session was revoked meanwhile
 */
export async function storeSecondFactor(
  tx: Prisma.TransactionClient,
  { accountId, userId, at }: UserAuditContext,
  sessionId: string,
): Promise<string | null> {
  const where = { idHash: hashSessionId(sessionId), accountId, userId };
  const session = await tx.session.findFirst({ where });
  if (session?.secondFactorAt) {
    const { count } = await tx.session.updateMany({ where, data: { secondFactorAt: at } });
    return count > 0 ? sessionId : null;
  }
  // Of concurrent transactions one deletes it.
  if (session === null || (await tx.session.deleteMany({ where })).count === 0) return null;
  const id = newSessionId();
  await tx.session.create({ data: { ...session, idHash: hashSessionId(id), secondFactorAt: at } });
  return id;
}

/** Records a sign-in that a second factor completed, in the transaction of the caller, which has locked the user. */
export async function recordSignIn(
  tx: Prisma.TransactionClient,
  { accountId, userId, origin, at }: UserAuditContext,
  method: SecondFactorMethod,
): Promise<void> {
  await tx.$executeRaw`
    UPDATE users SET last_sign_in_at = ${at} WHERE account_id = ${accountId} AND id = ${userId}`;
  const details = { second_factor: method };
  await recordIn(tx, { type: 'sign_in.succeeded', accountId, userId, origin, details }, at);
}
