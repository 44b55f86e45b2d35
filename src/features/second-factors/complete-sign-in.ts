import { hashSessionId, newSessionId } from '../../platform/accounts/sessions.js';
import type { UserAuditContext } from '../../platform/audit/audit-log.js';
import type { Unit } from '../../platform/changes/change.js';

/** The kind of the second factor that a user proved. */
export type SecondFactorMethod = 'authenticator app' | 'passkey' | 'recovery code';

/**
 * Stores in a session that its user proved a second factor. With the first one it gets a new id, so that an id that was obtained
 * or fixated before is of no use.
 *
 * @returns the id of the session from now on; `null` when the session was revoked meanwhile
 */
export async function storeSecondFactor(
  { tx, context: { accountId, userId, at } }: Unit<UserAuditContext>,
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

/** Records a sign-in that a second factor completed, in a change that has locked the user. */
export async function recordSignIn(unit: Unit<UserAuditContext>, method: SecondFactorMethod): Promise<void> {
  const { accountId, userId, at } = unit.context;
  await unit.tx.$executeRaw`
    UPDATE users SET last_sign_in_at = ${at} WHERE account_id = ${accountId} AND id = ${userId}`;
  await unit.record('sign_in.succeeded', { second_factor: method });
}
