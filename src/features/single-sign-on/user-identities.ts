import type { AccountId } from '../../platform/accounts/account-id.js';
import { personNameRule } from '../../platform/accounts/name-rules.js';
import { ifEmailTaken, insertUser } from '../../platform/accounts/new-user.js';
import { domainOf } from '../../platform/accounts/normalize.js';
import { userDetails } from '../../platform/accounts/revoke-user-access.js';
import { type User, userSelection } from '../../platform/accounts/user.js';
import { emailRule } from '../../platform/accounts/user-rules.js';
import type { AuditOrigin } from '../../platform/audit/audit-log.js';
import { change, type Unit } from '../../platform/changes/change.js';
import { lock } from '../../platform/changes/locks.js';
import type { Clock } from '../../platform/clock.js';
import { isStorableText, normalizeNfc } from '../../platform/contract/outside-text.js';
import type { Database, Prisma } from '../../platform/database/client.js';
import { accountScope, allAccounts, withScope } from '../../platform/database/scope.js';
import { type ProviderClaims, type StatedAddress, statedAddress } from './provider-claims.js';
import type { IdentityRejection } from './provider-errors.js';

const maximumNameLength = 100;

/**
 * The names of a user whom single sign-on creates: the claims `given_name` and `family_name`, otherwise the words of
 * `name`, otherwise those of the local part of the address. The user can change them.
 *
 * @see OpenID Connect Core 1.0 section 5.1
 */
function namesOf(claims: ProviderClaims, email: string): { givenName: string; familyName: string } {
  const local = email.slice(0, email.lastIndexOf('@'));
  const words = [wordsOf(claims.name), wordsOf(local, /[\s._+-]+/), [local]].find(({ length }) => length > 0);
  const [first = '', ...others] = words ?? [];
  return {
    givenName: valid(claims.given_name) ?? valid(first) ?? '-',
    familyName: valid(claims.family_name) ?? valid(others.join(' ')) ?? '-',
  };
}

function wordsOf(text: unknown, separator = /\s+/): string[] {
  return typeof text === 'string' ? text.split(separator).filter((word) => word !== '') : [];
}

/** A claim as a name; `undefined` when it is not a valid name. */
function valid(claim: unknown): string | undefined {
  if (typeof claim !== 'string') return undefined;
  // A character has at most two code units.
  const shortened = normalizeNfc(claim.trim().slice(0, 2 * maximumNameLength));
  const name = [...shortened].slice(0, maximumNameLength).join('').trim();
  return personNameRule(name) === undefined ? name : undefined;
}

/** Maximum characters of the claim `sub`. @see OpenID Connect Core 1.0 section 2 */
const maximumSubjectLength = 255;

type IdentityOutcome =
  | { readonly kind: 'found'; readonly user: User }
  | { readonly kind: 'rejected'; readonly reason: IdentityRejection; readonly userId?: string };

/** What a sign-in would lead to. */
export type IdentityPreview =
  /** The identity is linked with the user. */
  | { readonly kind: 'known'; readonly user: User }
  /** The user with the verified address would be linked. */
  | { readonly kind: 'linked'; readonly user: User }
  /** A member would be created, because the domain is confirmed for the account. */
  | {
      readonly kind: 'created';
      readonly email: string;
      readonly domain: string;
      readonly givenName: string;
      readonly familyName: string;
    }
  | Extract<IdentityOutcome, { kind: 'rejected' }>;

/** An identity that an identity provider has stated. */
interface StatedIdentity {
  readonly accountId: AccountId;
  readonly issuer: string;
  readonly claims: ProviderClaims;
}

/**
 * The links between users and identities of identity providers. They are identified by issuer and subject, and never by
 * their address.
 */
export class UserIdentities {
  readonly #prisma: Database['prisma'];
  readonly #clock: Clock;

  constructor({ prisma }: Pick<Database, 'prisma'>, clock: Clock) {
    this.#prisma = prisma;
    this.#clock = clock;
  }

  /**
   * Finds the user of an identity. At the first sign-in, the user of the account with its verified address is linked, or a
   * member is created when the domain of the address is confirmed for the account. Known identities need no address.
   */
  async resolve(identity: StatedIdentity, origin: AuditOrigin): Promise<IdentityOutcome> {
    const known = await this.find(identity);
    if (known !== null) return known;
    const address = statedAddress(identity.claims);
    if (address === null) return rejected('email_missing');
    if (address.verified === false) return rejected('email_not_verified');
    return await withScope(accountScope(identity.accountId), () =>
      this.#firstSignIn(identity, address, origin),
    );
  }

  /** What {@link resolve} would do now, without a change. */
  async preview(identity: StatedIdentity): Promise<IdentityPreview> {
    const known = await this.find(identity);
    if (known !== null) return known.kind === 'found' ? { kind: 'known', user: known.user } : known;
    const address = statedAddress(identity.claims);
    if (address === null) return rejected('email_missing');
    const { email, verified } = address;
    if (verified === false) return rejected('email_not_verified');
    const { accountId } = identity;
    const decision = await withScope(accountScope(accountId), () => decide(this.#prisma, identity, address));
    if (typeof decision === 'string') return rejected(decision);
    const { userId } = decision;
    if (userId !== null) {
      const outcome = await withScope(accountScope(accountId), () => this.#userOf(accountId, userId));
      return outcome.kind === 'found' ? { kind: 'linked', user: outcome.user } : outcome;
    }
    // The address is unique in all accounts.
    const taken = await withScope(allAccounts, () => this.#prisma.user.count({ where: { email } }));
    if (taken > 0) return rejected('email_taken');
    return { kind: 'created', email, domain: domainOf(email), ...namesOf(identity.claims, email) };
  }

  /** Finds the user of a known identity; `null` when it is unknown. */
  async find({ accountId, issuer, claims }: StatedIdentity): Promise<IdentityOutcome | null> {
    const { sub } = claims;
    if (!isStorableText(sub) || sub === '' || sub.length > maximumSubjectLength)
      return rejected('invalid_subject');
    return await withScope(accountScope(accountId), async () => {
      const found = await this.#prisma.userIdentity.findFirst({ where: { accountId, issuer, subject: sub } });
      return found === null ? null : await this.#userOf(accountId, found.userId);
    });
  }

  async #firstSignIn(
    identity: StatedIdentity,
    address: StatedAddress,
    origin: AuditOrigin,
  ): Promise<IdentityOutcome> {
    const { accountId } = identity;
    const context = { accountId, origin, at: this.#clock() };
    // First sign-ins of a user in several browsers wait for each other at the account.
    const linked = await change(this.#prisma, context, lock.account, (unit) =>
      link(unit, identity, address),
    ).catch(ifEmailTaken('email_taken'));
    return typeof linked === 'string' ? rejected(linked) : await this.#userOf(accountId, linked.userId);
  }

  async #userOf(accountId: AccountId, userId: string): Promise<IdentityOutcome> {
    const [row] = await this.#prisma.$queryRaw<User[]>`
      SELECT ${userSelection} FROM users JOIN accounts ON accounts.id = users.account_id
      WHERE users.account_id = ${accountId} AND users.id = ${userId} AND users.disabled_at IS NULL`;
    return row === undefined ? { ...rejected('disabled'), userId } : { kind: 'found', user: row };
  }
}

/** Links an identity that is not known yet with a user of the account, who may be created. */
async function link(
  unit: Unit,
  identity: StatedIdentity,
  address: StatedAddress,
): Promise<{ userId: string } | IdentityRejection> {
  const { tx } = unit;
  const { accountId, at } = unit.context;
  const { issuer, claims } = identity;
  const concurrent = await tx.userIdentity.findFirst({ where: { accountId, issuer, subject: claims.sub } });
  if (concurrent !== null) return concurrent;
  const decision = await decide(tx, identity, address);
  if (typeof decision === 'string') return decision;
  const { email } = address;
  const userId = decision.userId ?? (await createMember(unit, email, claims));
  await tx.userIdentity.create({
    data: { accountId, issuer, subject: claims.sub, userId, createdAt: at },
  });
  const details = { ...userDetails({ id: userId, email }), issuer, subject: claims.sub };
  await unit.record('user.identity_linked', details, { userId });
  return { userId };
}

type IdentityTables = 'identityProvider' | 'accountDomain' | 'user';

/**
 * Decides about the first sign-in of an identity.
 *
 * @returns the user to link, `null` to create a member, or why it is rejected
 */
async function decide(
  tx: Pick<Prisma.TransactionClient, IdentityTables>,
  { accountId, issuer }: StatedIdentity,
  { email, claim, verified }: StatedAddress,
): Promise<{ userId: string | null } | IdentityRejection> {
  const provider = await tx.identityProvider.findFirst({ where: { accountId, issuer } });
  if (provider === null) return 'provider_replaced';
  const domain = domainOf(email);
  const isConfirmed = (await tx.accountDomain.count({ where: { accountId, domain } })) > 0;
  if (verified === undefined) {
    if (!provider.addressesVerified) return claim === 'email' ? 'email_verified_missing' : 'email_missing';
    if (!isConfirmed) return 'domain_not_confirmed';
  }
  const existing = await tx.user.findFirst({
    where: { accountId, email },
    select: { id: true, disabledAt: true, identities: { where: { issuer }, select: { userId: true } } },
  });
  if (existing !== null && existing.disabledAt !== null) return 'disabled';
  if (existing !== null && existing.identities.length > 0) return 'other_identity';
  if (existing !== null) return { userId: existing.id };
  if (!isConfirmed) return 'unknown_user';
  return emailRule(email) === undefined ? { userId: null } : 'email_missing';
}

/** Returns the id. */
function createMember(unit: Unit, email: string, claims: ProviderClaims): Promise<string> {
  const user = { email, role: 'member', ...namesOf(claims, email) } as const;
  return insertUser(unit, { user, passwordHash: null, emailVerified: true });
}

function rejected(reason: IdentityRejection): Extract<IdentityOutcome, { kind: 'rejected' }> {
  return { kind: 'rejected', reason };
}
