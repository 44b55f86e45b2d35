import type { Database } from '../database/client.js';
import { Prisma } from '../database/client.js';
import { accountScope, allAccounts, withScope } from '../database/scope.js';
import { type AccountId, toAccountId } from './account-id.js';
import { normalizeEmail } from './normalize.js';

/** What a user may do in the account; owners and administrators run it. */
export const roles = ['owner', 'admin', 'member'] as const;

export type Role = (typeof roles)[number];

/** A person who may sign in. */
export interface User {
  readonly id: string;
  readonly accountId: AccountId;
  readonly accountName: string;
  readonly email: string;
  readonly role: Role;
  readonly givenName: string;
  readonly familyName: string;
  /** Language and time zone that the user reads dates in, as they were entered. */
  readonly locale: string | null;
  readonly zoneinfo: string | null;
}

/** A row of {@link userSelection}. */
export interface UserRow extends Omit<User, 'accountId'> {
  readonly accountId: string;
}

/** Select list over `users` and `accounts` that yields a {@link UserRow}. */
export const userSelection = Prisma.sql`
  users.id, users.account_id AS "accountId", accounts.name AS "accountName", users.email, users.role,
  users.given_name AS "givenName", users.family_name AS "familyName", users.locale, users.zoneinfo`;

export function toUser(row: UserRow): User {
  const { id, accountName, email, role, givenName, familyName, locale, zoneinfo } = row;
  const accountId = toAccountId(row.accountId);
  return { id, accountId, accountName, email, role, givenName, familyName, locale, zoneinfo };
}

/**
 * The enabled user with this e-mail address, in any case and any Unicode form, and the hash of the password; `null` when
 * there is none.
 */
export async function findUserForSignIn(
  { prisma }: Database,
  email: string,
): Promise<{ user: User; passwordHash: string } | null> {
  const [row] = await withScope(
    allAccounts,
    () => prisma.$queryRaw<(UserRow & { passwordHash: string })[]>`
      SELECT ${userSelection}, users.password_hash AS "passwordHash"
      FROM users JOIN accounts ON accounts.id = users.account_id
      WHERE users.email = ${normalizeEmail(email)} AND users.disabled_at IS NULL`,
  );
  return row === undefined ? null : { user: toUser(row), passwordHash: row.passwordHash };
}

/**
 * Replaces the hash of a password by another hash of the same password. Nothing happens when the password was changed
 * meanwhile.
 */
export async function replacePasswordHash(
  { prisma }: Database,
  { id, accountId }: Pick<User, 'id' | 'accountId'>,
  { from, to }: { from: string; to: string },
): Promise<void> {
  await withScope(
    accountScope(accountId),
    () => prisma.$executeRaw`
      UPDATE users SET password_hash = ${to}
      WHERE id = ${id} AND account_id = ${accountId} AND password_hash = ${from}`,
  );
}

/**
 * The role of an enabled user, which does not change until the transaction ends; `null` when the account has no such user
 * or the user is disabled.
 */
export async function holdRole(
  tx: Prisma.TransactionClient,
  accountId: AccountId,
  userId: string,
): Promise<Role | null> {
  const [row] = await tx.$queryRaw<{ role: Role }[]>`
    SELECT role FROM users
    WHERE id = ${userId} AND account_id = ${accountId} AND disabled_at IS NULL FOR SHARE`;
  return row?.role ?? null;
}
