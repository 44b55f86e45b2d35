import type { Prisma } from '../database/client.js';
import type { AuditContext } from './audit-context.js';
import { recordAllIn } from './audit-log.js';

/** A user whose row is locked by the transaction. */
export interface AffectedUser {
  readonly id: string;
  readonly email: string;
}

/**
 * Revokes all sessions of a user in the transaction of the caller.
 *
 * @param except hash of the id of a session that is kept
 * @returns number of revoked sessions
 */
export async function revokeSessions(
  tx: Prisma.TransactionClient,
  { accountId }: AuditContext,
  { id }: Pick<AffectedUser, 'id'>,
  except?: Buffer<ArrayBuffer>,
): Promise<number> {
  const kept = except === undefined ? {} : { idHash: { not: except } };
  const { count } = await tx.session.deleteMany({ where: { accountId, userId: id, ...kept } });
  return count;
}

/**
 * Revokes grants of a user and deletes unused authorization codes, in the transaction of the caller. Each revoked grant
 * has an audit event.
 *
 * The locks on the codes come before those on the grants (`src/database/README.md`): a concurrent exchange has locked its
 * code, and its grant is visible when the lock is released.
 *
 * @param isRevoked selects codes and grants
 * @returns number of revoked grants
 */
export async function revokeUserGrants(
  tx: Prisma.TransactionClient,
  { accountId, userId, origin, at }: AuditContext,
  user: AffectedUser,
  isRevoked: (grant: { readonly scopes: readonly string[]; readonly applicationId: string }) => boolean,
): Promise<number> {
  await tx.$queryRaw`
    SELECT 1 FROM applications
    WHERE account_id = ${accountId} AND id IN (
      SELECT application_id FROM grants
      WHERE account_id = ${accountId} AND user_id = ${user.id} AND revoked_at IS NULL
      UNION SELECT application_id FROM authorization_codes
      WHERE account_id = ${accountId} AND user_id = ${user.id} AND used_at IS NULL)
    ORDER BY id FOR KEY SHARE`;
  const codes = await tx.$queryRaw<
    { codeHash: Uint8Array<ArrayBuffer>; applicationId: string; scopes: string[] }[]
  >`
    SELECT code_hash AS "codeHash", application_id AS "applicationId", scopes FROM authorization_codes
    WHERE account_id = ${accountId} AND user_id = ${user.id} AND used_at IS NULL
    ORDER BY code_hash FOR UPDATE`;
  const deletedCodes = codes.filter(isRevoked).map(({ codeHash }) => codeHash);
  await tx.authorizationCode.deleteMany({ where: { accountId, codeHash: { in: deletedCodes } } });

  const grants = await tx.$queryRaw<{ id: string; applicationId: string; scopes: string[] }[]>`
    SELECT id, application_id AS "applicationId", scopes FROM grants
    WHERE account_id = ${accountId} AND user_id = ${user.id} AND revoked_at IS NULL
    ORDER BY id FOR NO KEY UPDATE`;
  const revoked = grants.filter(isRevoked);
  const where = { accountId, id: { in: revoked.map(({ id }) => id) } };
  await tx.grant.updateMany({ where, data: { revokedAt: at } });
  await recordAllIn(
    tx,
    revoked.map(({ id, applicationId }) => {
      const details = { grant: id, user: user.id, email: user.email };
      return { type: 'grant.revoked', accountId, userId, applicationId, origin, details };
    }),
    at,
  );
  return revoked.length;
}
