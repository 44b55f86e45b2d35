import { Prisma } from '../database/client.js';
import { type AccountId, toAccountId } from './account-id.js';

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
