import type { Unit } from '../changes/change.js';
import type { AffectedUser } from '../changes/locks.js';
import { hashSecret } from '../crypto/keyring.js';
import { Prisma } from '../database/client.js';
import { endSessions } from './end-sessions.js';
import { deleteEmailLinks, type LinkPurpose } from './one-time-links.js';

/** The details of an audit event that identify its user. */
export function userDetails({ id, email }: AffectedUser): { readonly user: string; readonly email: string } {
  return { user: id, email };
}

/**
 * Revokes all sessions of a user, and an unconfirmed change of the e-mail address: a caller who had a session may have
 * requested it.
 *
 * @param except hash of the id of a session that is kept
 * @returns number of revoked sessions
 */
export async function revokeSessions(
  unit: Unit,
  { id: userId }: Pick<AffectedUser, 'id'>,
  except?: Buffer<ArrayBuffer>,
): Promise<number> {
  const { accountId, at } = unit.context;
  const kept = except === undefined ? Prisma.empty : Prisma.sql`AND id_hash <> ${except}`;
  const ofUser = Prisma.sql`account_id = ${accountId} AND user_id = ${userId} ${kept}`;
  const count = await endSessions(unit.tx, ofUser, at);
  await deleteEmailLinks(unit, userId);
  return count;
}

/** Selects codes and grants. */
type IsRevoked = (grant: { readonly scopes: readonly string[]; readonly applicationId: string }) => boolean;

/** Selects all. */
export const allGrants: IsRevoked = () => true;

/** Deletes unused authorization codes of users. Their applications are locked against deletion, with those of live grants. */
async function deleteUserCodes(
  { tx, context: { accountId } }: Unit,
  userIds: readonly string[],
  isRevoked: IsRevoked,
): Promise<void> {
  await tx.$queryRaw`
    SELECT 1 FROM applications
    WHERE account_id = ${accountId} AND id IN (
      SELECT application_id FROM grants
      WHERE account_id = ${accountId} AND user_id = ANY (${userIds}) AND revoked_at IS NULL
      UNION SELECT application_id FROM authorization_codes
      WHERE account_id = ${accountId} AND user_id = ANY (${userIds}) AND used_at IS NULL)
    ORDER BY id FOR KEY SHARE`;
  const codes = await tx.$queryRaw<
    { codeHash: Uint8Array<ArrayBuffer>; applicationId: string; scopes: string[] }[]
  >`
    SELECT code_hash AS "codeHash", application_id AS "applicationId", scopes FROM authorization_codes
    WHERE account_id = ${accountId} AND user_id = ANY (${userIds}) AND used_at IS NULL
    ORDER BY code_hash FOR UPDATE`;
  const deleted = codes.filter(isRevoked).map(({ codeHash }) => codeHash);
  await tx.authorizationCode.deleteMany({ where: { accountId, codeHash: { in: deleted } } });
}

/**
 * Revokes grants of users and deletes unused authorization codes. Each revoked grant has an audit event.
 *
 * The locks on the codes come before those on the grants (`src/platform/database/README.md`): a concurrent exchange has locked its
 * code, and its grant is visible when the lock is released.
 *
 * @returns number of revoked grants
 */
export async function revokeUserGrants(
  unit: Unit,
  users: readonly AffectedUser[],
  isRevoked: IsRevoked,
): Promise<number> {
  const { tx } = unit;
  const { accountId, at } = unit.context;
  const emails = new Map(users.map(({ id, email }) => [id, email]));
  const userIds = [...emails.keys()];
  await deleteUserCodes(unit, userIds, isRevoked);
  const grants = await tx.$queryRaw<
    { id: string; applicationId: string; userId: string; scopes: string[] }[]
  >`
    SELECT id, application_id AS "applicationId", user_id AS "userId", scopes FROM grants
    WHERE account_id = ${accountId} AND user_id = ANY (${userIds}) AND revoked_at IS NULL
    ORDER BY id FOR NO KEY UPDATE`;
  const revoked = grants.filter(isRevoked);
  const where = { accountId, id: { in: revoked.map(({ id }) => id) } };
  await tx.grant.updateMany({ where, data: { revokedAt: at } });
  await unit.recordAll(
    revoked.map(({ id, applicationId, userId: user }) => {
      const details = { grant: id, user, email: emails.get(user) ?? '' };
      return { type: 'grant.revoked', applicationId, details };
    }),
  );
  return revoked.length;
}

/** What an owner chooses to revoke when a rule for signing in changes. */
export interface RevocationChoice {
  /** Id of the session of the owner, which is kept. */
  readonly sessionId: string;
  /** Whether the grants of the users are revoked too. They do not show how a user signed in. */
  readonly withGrants: boolean;
}

/** Access that a rule for signing in admitted, and a stricter one does not. */
export interface AdmittedAccess {
  /** The users that the rule is for. */
  readonly users: readonly AffectedUser[];
  /** Condition on `sessions` of the account for those that the new rule does not admit. */
  readonly sessions: Prisma.Sql;
  /** Purposes of links that an admitted session requested, or that are without use under the new rule. */
  readonly links: readonly LinkPurpose[];
}

/**
 * Revokes access when users must sign in otherwise: sessions, unused authorization codes and links, and grants on request. The
 * change has locked the users (`lock.owner`).
 *
 * @returns details for the audit event of the change
 */
export async function revokeAdmittedAccess(
  unit: Unit,
  { users, sessions, links }: AdmittedAccess,
  { sessionId, withGrants }: RevocationChoice,
): Promise<{ revoked_sessions: string; revoked_grants: string }> {
  const { tx } = unit;
  const { accountId, at } = unit.context;
  const userIds = users.map(({ id }) => id);
  let revokedGrants = 0;
  if (withGrants) revokedGrants = await revokeUserGrants(unit, users, allGrants);
  else await deleteUserCodes(unit, userIds, allGrants);
  const others = Prisma.sql`account_id = ${accountId} AND id_hash <> ${hashSecret(sessionId)} AND (${sessions})`;
  const count = await endSessions(tx, others, at);
  await tx.$executeRaw`
    DELETE FROM one_time_links
    WHERE account_id = ${accountId} AND user_id = ANY (${userIds}) AND purpose = ANY (${links}) AND used_at IS NULL`;
  return { revoked_sessions: String(count), revoked_grants: String(revokedGrants) };
}
