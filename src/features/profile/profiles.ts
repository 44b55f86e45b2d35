import type { AccountId } from '../../platform/accounts/account-id.js';
import type { UserAuditContext } from '../../platform/audit/audit-log.js';
import { change } from '../../platform/changes/change.js';
import { lock } from '../../platform/changes/locks.js';
import { parseUrl } from '../../platform/contract/outside-text.js';
import type { Database, Prisma } from '../../platform/database/client.js';
import { type Check, type Violation, violation } from '../../platform/problems/rule-texts.js';

/** The claims that users can change. `null` removes a claim; the two names are required. */
export interface WritableClaims {
  readonly givenName: string;
  readonly familyName: string;
  readonly nickname: string | null;
  readonly picture: string | null;
  readonly locale: string | null;
  readonly zoneinfo: string | null;
  readonly phoneNumber: string | null;
}

export type ClaimName = keyof WritableClaims;

export interface ClaimError {
  readonly claim: ClaimName;
  readonly violation: Violation;
}

/** The rules that the schema of the contract cannot express. */
const rules: Readonly<Partial<Record<ClaimName, Check>>> = {
  picture: (value) => (isHttpsUrl(value) ? undefined : violation('https_url')),
  locale: (value) => (canonicalLocale(value) === undefined ? violation('language_tag') : undefined),
  zoneinfo: (value) => (canonicalZone(value) === undefined ? violation('time_zone') : undefined),
  phoneNumber: (value) => (/^\+[1-9]\d{1,14}$/.test(value) ? undefined : violation('phone_number')),
};

/** Validates claims and returns them in canonical form, such as `de-CH` for `de-ch`. */
export function checkClaims(
  given: Partial<WritableClaims>,
): { readonly claims: Partial<WritableClaims> } | { readonly errors: readonly ClaimError[] } {
  const entries = Object.entries(given) as [ClaimName, string | null][];
  const errors = entries.flatMap(([claim, value]): ClaimError[] => {
    const violation = value === null ? undefined : rules[claim]?.(value);
    return violation === undefined ? [] : [{ claim, violation }];
  });
  if (errors.length > 0) return { errors };
  const claims = entries.map(([claim, value]) => [claim, value === null ? null : canonical(claim, value)]);
  return { claims: Object.fromEntries(claims) };
}

function canonical(claim: ClaimName, value: string): string {
  if (claim === 'locale') return canonicalLocale(value) ?? value;
  return claim === 'zoneinfo' ? (canonicalZone(value) ?? value) : value;
}

function isHttpsUrl(value: string): boolean {
  // The URL parser reads the path as the host when the host is missing.
  const url = /^https:\/\/[^/?#\\]/.test(value) ? parseUrl(value) : undefined;
  return url?.username === '' && url.password === '';
}

const maximumLocaleLength = 35;

function canonicalLocale(value: string): string | undefined {
  try {
    const [tag = ''] = Intl.getCanonicalLocales(value);
    return tag.length <= maximumLocaleLength ? tag : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns the time zone with the upper and lower case of the IANA database; `undefined` for an unknown one. A name that the
 * runtime resolves to another one, such as Asia/Kolkata to Asia/Calcutta, is returned unchanged.
 */
function canonicalZone(value: string): string | undefined {
  // Newer versions of Node.js accept offsets, which are not IANA names.
  if (/^[+-]/.test(value)) return undefined;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions();
    return timeZone.toLowerCase() === value.toLowerCase() ? timeZone : value;
  } catch {
    return undefined;
  }
}

/** The OpenID Connect claims of a user. */
export interface Profile extends WritableClaims {
  readonly id: string;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly phoneNumberVerified: boolean;
  readonly updatedAt: Date;
}

/** `conflict`: nothing was changed. */
interface UpdatedProfile {
  readonly kind: 'updated' | 'conflict';
  /** As it is stored now. */
  readonly profile: Profile;
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
  async update(context: UserAuditContext, claims: Partial<WritableClaims>): Promise<Profile | null> {
    return (await this.updateFrom(context, claims))?.profile ?? null;
  }

  /**
   * The same, unless the stored claims have been changed.
   *
   * @param expected the claims that were read. Default: not compared
   */
  updateFrom(
    context: UserAuditContext,
    claims: Partial<WritableClaims>,
    expected?: WritableClaims,
  ): Promise<UpdatedProfile | null> {
    const { accountId, userId, at } = context;
    // No other transaction may change the profile between the comparison and the update.
    return change(this.#prisma, context, lock.enabledUser(userId), async (unit, user) => {
      const before = user && (await readProfile(unit.tx, accountId, userId));
      if (before === null) return null;
      const isExpected = (claim: ClaimName) => expected === undefined || expected[claim] === before[claim];
      if (!(Object.keys(claimNames) as ClaimName[]).every(isExpected))
        return { kind: 'conflict', profile: before };
      const changed = (Object.keys(claims) as ClaimName[]).filter((claim) => claims[claim] !== before[claim]);
      if (changed.length === 0) return { kind: 'updated', profile: before };
      const data: Prisma.UserUpdateInput = Object.fromEntries(changed.map((claim) => [claim, claims[claim]]));
      if (changed.includes('phoneNumber')) data.phoneNumberVerified = false;
      const details = { claims: changed.map((claim) => claimNames[claim]) };
      await unit.record('user.updated', details);
      const profile = await unit.tx.user.update({
        where: { accountId_id: { accountId, id: userId } },
        data: { ...data, updatedAt: at },
        select,
      });
      return { kind: 'updated', profile };
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
