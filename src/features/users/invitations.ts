import type { AccountId } from '../../platform/accounts/account-id.js';
import { personNameRule } from '../../platform/accounts/name-rules.js';
import { ifEmailTaken, insertUser, isForeignDomain } from '../../platform/accounts/new-user.js';
import { normalizeEmail } from '../../platform/accounts/normalize.js';
import { consumeLink, insertLink, type ValidLink } from '../../platform/accounts/one-time-links.js';
import type { Role, SignInStage, User } from '../../platform/accounts/user.js';
import { emailRule, passwordError } from '../../platform/accounts/user-rules.js';
import type { AuditOrigin, UserAuditContext } from '../../platform/audit/audit-log.js';
import { change } from '../../platform/changes/change.js';
import { lock, lockAccount, mayAdminister } from '../../platform/changes/locks.js';
import type { Core } from '../../platform/core.js';
import type { DeliveredLink } from '../../platform/mail/link-delivery.js';
import type { Violation } from '../../platform/problems/rule-texts.js';
import { invitationMail } from './mail-texts.js';

/** Lifetime of an invitation: 7 days. */
const invitationSeconds = 7 * 86_400;

/** Maximum number of invitations of an account that are neither accepted nor expired. */
export const maximumInvitations = 100;

/** An invitation that is neither accepted nor expired. */
export interface Invitation {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly expiresAt: Date;
}

type InvitationOutcome =
  | { readonly kind: 'invited'; readonly link: DeliveredLink }
  | { readonly kind: 'invalid_email'; readonly violation: Violation }
  /** The address belongs to a user of the account. */
  | { readonly kind: 'email_taken' }
  /** The domain of the address is confirmed for another account. */
  | { readonly kind: 'foreign_domain' }
  | { readonly kind: 'limit_reached' }
  /** The acting user may not give this role. */
  | { readonly kind: 'forbidden' };

/** The input of an invited person. */
interface Acceptance {
  readonly givenName: string;
  readonly familyName: string;
  readonly password: string;
}

/** An invalid value, and the rule that it violates. */
interface AcceptanceError {
  readonly member: keyof Acceptance;
  readonly violation: Violation;
}

/** How an invited person goes on: with a session, at the identity provider, or on the sign-in page. */
type FirstSignIn =
  | {
      readonly kind: 'signed_in';
      readonly user: User;
      readonly sessionId: string;
      /** `enrolment`: the account requires a second factor. */
      readonly stage: SignInStage;
    }
  /** The account requires single sign-on. */
  | { readonly kind: 'single_sign_on'; readonly accountId: AccountId }
  /** The user was changed meanwhile. */
  | { readonly kind: 'not_signed_in' };

type AcceptanceOutcome =
  | { readonly kind: 'accepted'; readonly next: FirstSignIn }
  | { readonly kind: 'invalid'; readonly errors: readonly AcceptanceError[] }
  /** The link was used or revoked meanwhile, or has expired. */
  | { readonly kind: 'invalid_link' }
  /** The address belongs to a user, who may be in another account, or its domain to another account. */
  | { readonly kind: 'email_taken' };

/**
 * Invitations to an account. The address may belong to a user of another account: that is only found when the invitation
 * is accepted, so that no user can find out by inviting which addresses exist.
 */
export class Invitations {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** Lists the invitations that can be accepted, by e-mail address. There are at most {@link maximumInvitations}. */
  async list(accountId: AccountId, now: Date): Promise<Invitation[]> {
    const rows = await this.#core.database.prisma.oneTimeLink.findMany({
      where: pending(accountId, now),
      select: { id: true, email: true, role: true, expiresAt: true },
      orderBy: [{ email: 'asc' }, { id: 'asc' }],
    });
    return rows.map((row) => ({ ...row, role: row.role as Role }));
  }

  /**
   * Invites a person. Earlier invitations of the same address are replaced, as far as the acting user may change them.
   *
   * @throws {Problem} 429 `rate_limit_exceeded` when too many mails were sent
   */
  async create(
    context: UserAuditContext,
    { email: input, role }: { email: string; role: Role },
  ): Promise<InvitationOutcome> {
    const violation = emailRule(input);
    if (violation !== undefined) return { kind: 'invalid_email', violation };
    const { accountId, userId, at } = context;
    const email = normalizeEmail(input);
    const { database, delivery } = this.#core;
    if (await isForeignDomain(database, accountId, email)) return { kind: 'foreign_domain' };
    const stored = await change(database.prisma, context, lock.role, async (unit, actor) => {
      const { tx } = unit;
      if (actor === null || !mayAdminister(actor, role)) return 'forbidden';
      // Concurrent invitations count each other.
      await lockAccount(tx, accountId);
      if ((await tx.user.findFirst({ where: { accountId, email }, select: { id: true } })) !== null)
        return 'email_taken';
      await tx.oneTimeLink.deleteMany({ where: { ...changeable(actor), accountId, email, usedAt: null } });
      if ((await tx.oneTimeLink.count({ where: pending(accountId, at) })) >= maximumInvitations)
        return 'limit_reached';
      const token = await insertLink(tx, {
        target: { purpose: 'invitation', email, role },
        accountId,
        createdById: userId,
        mailed: delivery.canSendMail,
        at,
        lifetimeSeconds: invitationSeconds,
      });
      await unit.record('invitation.created', { email, role });
      const { name } = await tx.account.findUniqueOrThrow({
        where: { id: accountId },
        select: { name: true },
      });
      const subjects = { user: userId, recipient: email, account: accountId };
      const permit = await delivery.permit(tx, 'invitation', subjects);
      return { token, permit, accountName: name };
    });
    if (typeof stored === 'string') return { kind: stored };
    const url = delivery.urlOf('invitation', stored.token);
    const mail = invitationMail({ accountName: stored.accountName, url });
    return { kind: 'invited', link: await delivery.deliver(stored.permit, email, mail) };
  }

  /** Revokes an invitation. Its link stops working. */
  revoke(context: UserAuditContext, id: string): Promise<'revoked' | 'not_found' | 'forbidden'> {
    const { accountId, at } = context;
    return change(this.#core.database.prisma, context, lock.role, async (unit, actor) => {
      const { tx } = unit;
      const invitation = await tx.oneTimeLink.findFirst({
        where: { ...pending(accountId, at), id },
        select: { email: true, role: true },
      });
      if (invitation === null) return 'not_found';
      const { email, role } = invitation;
      if (actor === null || !mayAdminister(actor, role as Role)) return 'forbidden';
      const { count } = await tx.oneTimeLink.deleteMany({ where: { accountId, id, usedAt: null } });
      if (count === 0) return 'not_found';
      await unit.record('invitation.revoked', { email, role: role ?? '' });
      return 'revoked';
    });
  }

  /**
   * Creates the user of an invitation, consumes its link, and signs the user in, unless the account requires single sign-on. Of
   * concurrent calls with a link, one succeeds.
   *
   * @param from.signal aborts when the client disconnects
   * @throws {Problem} 503 `service_unavailable` when too many passwords are being hashed
   * @throws the reason of the signal when it aborts before the password is hashed
   */
  async accept(
    link: ValidLink,
    acceptance: Acceptance,
    from: { origin: AuditOrigin; userAgent: string | undefined; signal: AbortSignal },
  ): Promise<AcceptanceOutcome> {
    const { origin, signal } = from;
    const { database, passwords, clock } = this.#core;
    const errors = await findErrors(acceptance);
    if (errors.length > 0) return { kind: 'invalid', errors };
    const { accountId, email } = link;
    if (await isForeignDomain(database, accountId, email)) return { kind: 'email_taken' };
    // Outside the transaction, because hashing is slow.
    const passwordHash = await passwords.hash(acceptance.password, { address: origin.address, signal });
    const { givenName, familyName } = acceptance;
    const role = link.role as Role;
    const user = { email, role, givenName, familyName };
    const context = { accountId, origin, at: clock() };
    // Two invitations of one address wait for the account, and not for the unique address, which could deadlock.
    const accepted = change(database.prisma, context, lock.account, async (unit) => {
      if (!(await consumeLink(unit, link))) return 'invalid_link';
      const userId = await insertUser(unit, { user, passwordHash, emailVerified: link.mailed });
      await unit.record('invitation.accepted', { email, role }, { userId });
      await unit.tx.oneTimeLink.deleteMany({
        where: { accountId, purpose: 'invitation', email, usedAt: null },
      });
      return { userId };
    });
    const outcome = await accepted.catch(ifEmailTaken('email_taken' as const));
    if (typeof outcome === 'string') return { kind: outcome };
    const { userId } = outcome;
    return { kind: 'accepted', next: await this.#signIn({ accountId, userId, passwordHash }, from) };
  }

  /** Signs a new user in, who has just chosen the password. */
  async #signIn(
    { accountId, userId, passwordHash }: { accountId: AccountId; userId: string; passwordHash: string },
    from: { origin: AuditOrigin; userAgent: string | undefined },
  ): Promise<FirstSignIn> {
    const { users, userSessions } = this.#core;
    const user = await users.findEnabled(accountId, userId);
    if (user === null) return { kind: 'not_signed_in' };
    // Owners too: a new one has no recovery code.
    if (user.onlySingleSignOn) return { kind: 'single_sign_on', accountId };
    const details = { method: 'invitation' };
    const session = await userSessions.createWithPassword(user, from, { passwordHash, details });
    return session === null ? { kind: 'not_signed_in' } : { kind: 'signed_in', user, ...session };
  }
}

async function findErrors({ givenName, familyName, password }: Acceptance): Promise<AcceptanceError[]> {
  const checked = [
    ['givenName', personNameRule(givenName)],
    ['familyName', personNameRule(familyName)],
    ['password', await passwordError(password)],
  ] as const;
  return checked.flatMap(([member, violation]) => (violation === undefined ? [] : [{ member, violation }]));
}

function pending(accountId: AccountId, now: Date) {
  return { accountId, purpose: 'invitation', usedAt: null, expiresAt: { gt: now } } as const;
}

/** The invitations that a user with this role may replace. */
function changeable(actor: Role) {
  return { purpose: 'invitation', ...(actor === 'owner' ? {} : { role: { not: 'owner' } }) } as const;
}
