import { isForeignDomain } from '../../../platform/accounts/account-domains.js';
import { lockAccount } from '../../../platform/accounts/lock-account.js';
import { personNameRule } from '../../../platform/accounts/name-rules.js';
import { insertUser, isEmailTaken } from '../../../platform/accounts/new-user.js';
import { consumeLink, type OneTimeLinks, type ValidLink } from '../../../platform/accounts/one-time-links.js';
import type { Passwords } from '../../../platform/accounts/passwords.js';
import type { Role } from '../../../platform/accounts/user.js';
import { passwordError } from '../../../platform/accounts/user-rules.js';
import type { AuditOrigin } from '../../../platform/audit/audit-log.js';
import type { Clock } from '../../../platform/clock.js';
import type { Database } from '../../../platform/database/client.js';
import { accountScope, withScope } from '../../../platform/database/scope.js';
import type { Violation } from '../../../platform/problems/rule-texts.js';
import { recordInvitation } from './invitations.js';

/** The input of an invited person. */
export interface Acceptance {
  readonly givenName: string;
  readonly familyName: string;
  readonly password: string;
}

/** The rule that each invalid value violates. */
export type AcceptanceErrors = Readonly<Partial<Record<keyof Acceptance, Violation>>>;

export type AcceptanceOutcome =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'invalid'; readonly errors: AcceptanceErrors }
  /** The link is unknown, used, revoked or expired. */
  | { readonly kind: 'invalid_link' }
  /** The address belongs to a user, who may be in another account, or its domain to another account. */
  | { readonly kind: 'email_taken' };

/** Accepts invitations. */
export class AcceptInvitation {
  readonly #prisma: Database['prisma'];
  readonly #links: OneTimeLinks;
  readonly #passwords: Passwords;
  readonly #clock: Clock;

  constructor(
    { prisma }: Pick<Database, 'prisma'>,
    { links, passwords, clock }: { links: OneTimeLinks; passwords: Passwords; clock: Clock },
  ) {
    this.#prisma = prisma;
    this.#links = links;
    this.#passwords = passwords;
    this.#clock = clock;
  }

  /** Finds an invitation that can be accepted. */
  find(token: string): Promise<ValidLink | null> {
    return this.#links.find(token, { purpose: 'invitation', now: this.#clock() });
  }

  /**
   * Creates the user of an invitation, and consumes the link. Of concurrent calls with a link, one succeeds.
   *
   * @param from.signal aborts when the client disconnects
   * @throws {Problem} 503 `service_unavailable` when too many passwords are being hashed
   * @throws the reason of the signal when it aborts before the password is hashed
   */
  async accept(
    token: string,
    acceptance: Acceptance,
    { origin, signal }: { origin: AuditOrigin; signal: AbortSignal },
  ): Promise<AcceptanceOutcome> {
    const link = await this.find(token);
    if (link === null) return { kind: 'invalid_link' };
    const errors = await findErrors(acceptance);
    if (Object.keys(errors).length > 0) return { kind: 'invalid', errors };
    if (await isForeignDomain({ prisma: this.#prisma }, link.accountId, link.email))
      return { kind: 'email_taken' };
    // Outside the transaction, because hashing is slow.
    const request = { address: origin.address, signal };
    const passwordHash = await this.#passwords.hash(acceptance.password, request);
    const { accountId } = link;
    const stored = withScope(accountScope(accountId), () =>
      this.#store(link, { acceptance, passwordHash, origin }),
    );
    return stored.catch((error): AcceptanceOutcome => {
      if (isEmailTaken(error)) return { kind: 'email_taken' };
      throw error;
    });
  }

  #store(
    link: ValidLink,
    {
      acceptance,
      passwordHash,
      origin,
    }: { acceptance: Acceptance; passwordHash: string; origin: AuditOrigin },
  ): Promise<AcceptanceOutcome> {
    const { accountId, email, mailed } = link;
    const role = link.role as Role;
    const at = this.#clock();
    return this.#prisma.$transaction(async (tx): Promise<AcceptanceOutcome> => {
      // Two invitations of one address wait for each other here, and not for the unique address, which could deadlock.
      await lockAccount(tx, accountId);
      if (!(await consumeLink(tx, link, at))) return { kind: 'invalid_link' };
      const { givenName, familyName } = acceptance;
      const user = { email, role, givenName, familyName };
      const userId = await insertUser(tx, accountId, {
        user,
        passwordHash,
        at,
        emailVerified: mailed,
        origin,
      });
      await recordInvitation(tx, { accountId, userId, origin, at }, 'invitation.accepted', { email, role });
      await tx.oneTimeLink.deleteMany({ where: { accountId, purpose: 'invitation', email, usedAt: null } });
      return { kind: 'accepted' };
    });
  }
}

async function findErrors({ givenName, familyName, password }: Acceptance): Promise<AcceptanceErrors> {
  const errors = {
    givenName: personNameRule(givenName),
    familyName: personNameRule(familyName),
    password: await passwordError(password),
  };
  return Object.fromEntries(Object.entries(errors).filter(([, error]) => error !== undefined));
}
