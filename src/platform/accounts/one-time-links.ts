import type { Unit } from '../changes/change.js';
import { secondsAfter } from '../clock.js';
import { hashSecret, randomSecret } from '../crypto/keyring.js';
import type { Database, Prisma } from '../database/client.js';
import { randomId } from '../database/ids.js';
import { allAccounts, withScope } from '../database/scope.js';
import type { AccountId } from './account-id.js';
import type { Role } from './user.js';

/** The purpose of a link: to accept an invitation, to set a new password, or to confirm a new e-mail address. */
export type LinkPurpose = 'invitation' | 'password' | 'email';

/** The recipient of a link, and its purpose. */
export type LinkTarget =
  | { readonly purpose: 'invitation'; readonly email: string; readonly role: Role }
  | { readonly purpose: 'password' | 'email'; readonly email: string; readonly userId: string };

interface NewLink {
  readonly target: LinkTarget;
  readonly accountId: AccountId;
  /** Absent for a forgotten password. */
  readonly createdById?: string | null | undefined;
  /** Whether the link is sent by mail, and not shown to the user who creates it. */
  readonly mailed: boolean;
  readonly at: Date;
  readonly lifetimeSeconds: number;
}

/** A link that can be used. */
export interface ValidLink {
  readonly id: string;
  readonly accountId: AccountId;
  readonly accountName: string;
  readonly email: string;
  readonly mailed: boolean;
  /** `null` for an invitation. */
  readonly userId: string | null;
  /** `null` unless the link is an invitation. */
  readonly role: Role | null;
}

/** Stores a link in the transaction of the caller. Returns its token, which cannot be read later. */
export async function insertLink(tx: Prisma.TransactionClient, link: NewLink): Promise<string> {
  const { target, accountId, createdById = null, mailed, at, lifetimeSeconds } = link;
  const token = randomSecret();
  const expiresAt = secondsAfter(at, lifetimeSeconds);
  await tx.oneTimeLink.create({
    data: {
      ...target,
      id: randomId(),
      accountId,
      tokenHash: hashSecret(token),
      createdById,
      mailed,
      createdAt: at,
      expiresAt,
    },
  });
  return token;
}

/**
 * Consumes a link of the account. Of concurrent transactions one succeeds, and the others wait for it.
 *
 * @returns whether the link was valid
 */
export async function consumeLink(
  { tx, context: { accountId, at } }: Unit,
  { id }: Pick<ValidLink, 'id'>,
): Promise<boolean> {
  const where = { id, accountId, usedAt: null, expiresAt: { gt: at } };
  const { count } = await tx.oneTimeLink.updateMany({ where, data: { usedAt: at } });
  return count > 0;
}

export interface LinkRequest {
  readonly token: string;
  readonly purpose: LinkPurpose;
  readonly now: Date;
}

/**
 * Finds a link of any account by its token, because its account is not known yet; `null` when it is unknown, used or expired,
 * or its user is disabled.
 */
export async function findLink(
  { prisma }: Pick<Database, 'prisma'>,
  { token, purpose, now }: LinkRequest,
): Promise<ValidLink | null> {
  const [row] = await withScope(
    allAccounts,
    () => prisma.$queryRaw<ValidLink[]>`
      SELECT link.id, link.account_id AS "accountId", accounts.name AS "accountName", link.email, link.mailed,
        link.user_id AS "userId", link.role
      FROM one_time_links link JOIN accounts ON accounts.id = link.account_id
        LEFT JOIN users ON users.account_id = link.account_id AND users.id = link.user_id
      WHERE link.token_hash = ${hashSecret(token)} AND link.purpose = ${purpose} AND link.used_at IS NULL
        AND link.expires_at > ${now} AND users.disabled_at IS NULL`,
  );
  return row ?? null;
}

/** Deletes the unused links of a user, whom the change has locked. */
export async function deleteLinksOfUser({ tx, context: { accountId } }: Unit, userId: string): Promise<void> {
  await tx.oneTimeLink.deleteMany({ where: { accountId, userId, usedAt: null } });
}

/**
 * Deletes the link that confirms a new e-mail address of a user.
 *
 * @returns number of deleted links
 */
export async function deleteEmailLinks(
  { tx, context: { accountId } }: Unit,
  userId: string,
): Promise<number> {
  const where = { accountId, userId, purpose: 'email', usedAt: null };
  return (await tx.oneTimeLink.deleteMany({ where })).count;
}

/**
 * Deletes the unused links that a user created for others and may no longer create. Otherwise the user could keep access to
 * the account.
 *
 * @param role the new role; `null` when the user is disabled
 */
export async function deleteLinksCreatedBy(
  { tx, context: { accountId } }: Unit,
  { userId, role }: { userId: string; role: Role | null },
): Promise<void> {
  if (role === 'owner') return;
  const created = { accountId, createdById: userId, usedAt: null };
  const beyondRole = role === 'admin' ? { OR: [{ role: 'owner' }, { user: { role: 'owner' } }] } : {};
  await tx.oneTimeLink.deleteMany({ where: { ...created, ...beyondRole } });
}
