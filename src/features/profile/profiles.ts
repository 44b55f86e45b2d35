import type { AccountId } from '../../platform/accounts/account-id.js';
import type { UserAuditContext } from '../../platform/audit/audit-log.js';
import { change } from '../../platform/changes/change.js';
import { lock } from '../../platform/changes/locks.js';
import type { Database, Prisma } from '../../platform/database/client.js';
import type { ClaimName, WritableClaims } from './claim-rules.js';

/** The OpenID Connect claims of a user. */
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

/** OpenID Connect names of the claims that users can change. @see OpenID Connect Core 1.0 section 5.1 */
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

  /** Reads the profile of a user of the account; `null` when there is none or the user is disabled. */
  get(accountId: AccountId, userId: string): Promise<Profile | null> {
    return readProfile(this.#prisma, accountId, userId);
  }

  /**
   * Stores validated claims, and an audit event with the names of the changed ones. A changed telephone number is not
   * verified. Without `applicationId` the user makes the change on a page.
   *
   * @returns the profile after the change; `null` when there is no such user or the user is disabled
   */
  update(context: UserAuditContext, claims: Partial<WritableClaims>): Promise<Profile | null> {
    const { accountId, userId, at } = context;
    // No other transaction may change the profile between the comparison and the update.
    return change(this.#prisma, context, lock.enabledUser(userId), async (unit, user) => {
      const before = user && (await readProfile(unit.tx, accountId, userId));
      if (before === null) return null;
      const changed = (Object.keys(claims) as ClaimName[]).filter((claim) => claims[claim] !== before[claim]);
      if (changed.length === 0) return before;
      const data: Prisma.UserUpdateInput = Object.fromEntries(changed.map((claim) => [claim, claims[claim]]));
      if (changed.includes('phoneNumber')) data.phoneNumberVerified = false;
      const details = { claims: changed.map((claim) => claimNames[claim]) };
      await unit.record('user.updated', details);
      return unit.tx.user.update({
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
