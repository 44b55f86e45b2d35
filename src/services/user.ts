import { Prisma } from '../database/client.js';
import { type AccountId, toAccountId } from './account-id.js';

/** Roles of users. Owners and administrators manage the account. */
export const roles = ['owner', 'admin', 'member'] as const;

export type Role = (typeof roles)[number];

/** A user of an account. */
export interface User {
  readonly id: string;
  readonly accountId: AccountId;
  readonly accountName: string;
  readonly email: string;
  readonly role: Role;
  readonly givenName: string;
  readonly familyName: string;
  /** Language and time zone for dates, as the user entered them. */
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
