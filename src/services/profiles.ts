import type { Database, Prisma } from '../database/client.js';
import type { AccountId } from './account-id.js';
import type { UserAuditContext } from './audit-context.js';
import { recordIn } from './audit-log.js';
import type { ClaimName, WritableClaims } from './claim-rules.js';

/** What is known of a user, as OpenID Connect divides it into claims. */
export interface Profile extends WritableClaims {
  readonly id: string;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly phoneNumberVerified: boolean;
  readonly updatedAt: Date;
}

const select = {
  id: true,
  email: true,
  emailVerified: true,
  givenName: true,
  familyName: true,
  nickname: true,
  picture: true,
  locale: true,
  zoneinfo: true,
  phoneNumber: true,
  phoneNumberVerified: true,
  updatedAt: true,
} as const satisfies Record<keyof Profile, true>;

/** How OpenID Connect writes the claims that users change. */
export const claimNames: Readonly<Record<ClaimName, string>> = {
  givenName: 'given_name',
  familyName: 'family_name',
  nickname: 'nickname',
  picture: 'picture',
  locale: 'locale',
  zoneinfo: 'zoneinfo',
  phoneNumber: 'phone_number',
};

/** The profiles of users. */
export class Profiles {
  readonly #prisma: Database['prisma'];

  constructor({ prisma }: Database) {
    this.#prisma = prisma;
  }

  /** Reads the profile of one of the account's users; `null` when there is none, or it may not sign in any more. */
  get(accountId: AccountId, userId: string): Promise<Profile | null> {
    return readProfile(this.#prisma, accountId, userId);
  }

  /**
   * Writes claims that were checked before, and an audit event that names the ones that changed. Values that are there
   * already change nothing. A new telephone number is not verified.
   *
   * @returns the profile as it is then; `null` when there is no such user
   */
  update(
    { accountId, userId, applicationId, origin, at }: UserAuditContext & { applicationId: string },
    claims: Partial<WritableClaims>,
  ): Promise<Profile | null> {
    return this.#prisma.$transaction(async (tx) => {
      // What is compared must still be true when it is written.
      await tx.$queryRaw`
        SELECT 1 FROM users WHERE id = ${userId} AND account_id = ${accountId} FOR NO KEY UPDATE`;
      const before = await readProfile(tx, accountId, userId);
      if (before === null) return null;
      const changed = (Object.keys(claims) as ClaimName[]).filter((claim) => claims[claim] !== before[claim]);
      if (changed.length === 0) return before;
      const data: Prisma.UserUpdateInput = Object.fromEntries(changed.map((claim) => [claim, claims[claim]]));
      if (changed.includes('phoneNumber')) data.phoneNumberVerified = false;
      const details = { claims: changed.map((claim) => claimNames[claim]) };
      await recordIn(tx, { type: 'user.updated', accountId, userId, applicationId, origin, details }, at);
      return tx.user.update({
        where: { accountId_id: { accountId, id: userId } },
        data: { ...data, updatedAt: at },
        select,
      });
    });
  }
}

function readProfile(
  client: Prisma.TransactionClient,
  accountId: AccountId,
  id: string,
): Promise<Profile | null> {
  return client.user.findFirst({ where: { id, accountId, disabledAt: null }, select });
}
