import { Prisma } from '../database/client.js';
import type { AccountId } from './account-id.js';

/** Roles of users. */
export const roles = ['owner', 'admin', 'member'] as const;

export type Role = (typeof roles)[number];

/** Roles that manage the account. */
export const administratorRoles: readonly Role[] = ['owner', 'admin'];

/** Who in an account must have a second factor: no user, owners and administrators, or all users. */
export const secondFactorPolicies = ['optional', 'administrators', 'all'] as const;

export type SecondFactorPolicy = (typeof secondFactorPolicies)[number];

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
  /** Whether the user has a passkey or an authenticator app. */
  readonly hasSecondFactor: boolean;
  readonly secondFactorPolicy: SecondFactorPolicy;
  /** Whether users of the account sign in by single sign-on only. */
  readonly onlySingleSignOn: boolean;
}

/**
 * Whether a user cannot sign in without the identity provider. It is checked at each request, so that it applies to sign-ins
 * that run while an owner turns it on, and to an owner who becomes an administrator. Owners may sign in with the password and a
 * recovery code, to change the settings when the identity provider fails.
 */
export function mustUseSingleSignOn({
  role,
  onlySingleSignOn,
}: Pick<User, 'role' | 'onlySingleSignOn'>): boolean {
  return onlySingleSignOn && role !== 'owner';
}

/** Select list over `users` and `accounts` that yields a {@link User}. */
export const userSelection = Prisma.sql`
  users.id, users.account_id AS "accountId", accounts.name AS "accountName", users.email, users.role,
  users.given_name AS "givenName", users.family_name AS "familyName", users.locale, users.zoneinfo,
  accounts.second_factor_policy AS "secondFactorPolicy",
  EXISTS (SELECT FROM totp_factors factor WHERE factor.account_id = users.account_id AND factor.user_id = users.id)
    OR EXISTS (SELECT FROM passkeys WHERE passkeys.account_id = users.account_id AND passkeys.user_id = users.id)
    AS "hasSecondFactor",
  EXISTS (SELECT FROM identity_providers provider
    WHERE provider.account_id = users.account_id AND provider.only_single_sign_on) AS "onlySingleSignOn"`;

/**
 * The stage of a sign-in: complete; with the password only, so that a second factor must be proved; or without a second
 * factor in an account that requires one, so that the user must set one up.
 */
export type SignInStage = 'complete' | 'second_factor' | 'enrolment';

/**
 * The stage of a session. It is determined at each request, so that a new policy, a new factor or the removal of a factor
 * applies to sessions that exist.
 *
 * @param secondFactorAt when the user proved a second factor in this session; `null`: not yet
 * @param singleSignOn whether the user signed in at the identity provider, which is responsible for its factors
 */
export function signInStage(
  user: Pick<User, 'role' | 'hasSecondFactor' | 'secondFactorPolicy' | 'onlySingleSignOn'>,
  { secondFactorAt, singleSignOn }: { secondFactorAt: Date | null; singleSignOn: boolean },
): SignInStage {
  // For an owner without the identity provider: a recovery code.
  if (user.hasSecondFactor || user.onlySingleSignOn) {
    return secondFactorAt === null ? 'second_factor' : 'complete';
  }
  if (singleSignOn) return 'complete';
  return requiresSecondFactor(user.secondFactorPolicy, user.role) ? 'enrolment' : 'complete';
}

export function userName({ givenName, familyName }: Pick<User, 'givenName' | 'familyName'>): string {
  return `${givenName} ${familyName}`;
}

/** Whether users with this role must have a second factor. */
export function requiresSecondFactor(policy: SecondFactorPolicy, role: Role): boolean {
  return policy === 'all' || (policy === 'administrators' && role !== 'member');
}
