import { normalizeEmail } from '../../platform/accounts/normalize.js';
import { mustUseSingleSignOn, type SignInStage, type User } from '../../platform/accounts/user.js';
import type { AuditOrigin } from '../../platform/audit/audit-log.js';
import { change } from '../../platform/changes/change.js';
import { lock } from '../../platform/changes/locks.js';
import type { Core } from '../../platform/core.js';
import type { AuthenticationAttempt } from '../../platform/limits/failure-limit.js';
import { networkOf } from '../../platform/network/network-of-address.js';
import type { PasskeyResponse, Passkeys } from '../second-factors/index.js';

interface From {
  readonly origin: AuditOrigin;
  readonly userAgent: string | undefined;
}

interface PasswordAttempt extends From {
  readonly email: string;
  readonly password: string;
  /** Identifies browser and user when the user has signed in from this browser before; `null` otherwise. */
  readonly knownBrowser: string | null;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

export type SignInOutcome =
  | {
      readonly kind: 'signed_in';
      readonly user: User;
      readonly sessionId: string;
      /** The missing step. An incomplete session only permits to complete the sign-in. */
      readonly stage: SignInStage;
    }
  /** The password or the passkey is wrong, or the user is unknown or disabled. */
  | { readonly kind: 'wrong' }
  /** The password or the passkey is right, and the account requires single sign-on of the user. */
  | { readonly kind: 'single_sign_on'; readonly accountId: string }
  | { readonly kind: 'rate_limited'; readonly retryAfterSeconds: number };

/**
 * Factor of the failure limit for an e-mail address. An attacker needs several networks to lock a user out of new browsers.
 * Known browsers are counted separately.
 */
const emailFactor = 5;

/**
 * Signs users in. An attempt is checked unless the failure limit is reached, and creates a session. An attempt that is rejected
 * because of overload stays counted as a failure.
 */
export class SignIn {
  readonly #core: Core;
  readonly #passkeys: Passkeys;

  constructor(core: Core, passkeys: Passkeys) {
    this.#core = core;
    this.#passkeys = passkeys;
  }

  /**
   * Signs a user in by e-mail address and password.
   *
   * @throws {Problem} 503 `service_unavailable` when too many passwords are being hashed
   * @throws the reason of the signal when it aborts before the password is checked
   */
  withPassword(attempt: PasswordAttempt): Promise<SignInOutcome> {
    const { users, failureLimit, auditLog } = this.#core;
    const { email, knownBrowser, origin } = attempt;
    return failureLimit.run<SignInOutcome>(countedAs(attempt), {
      // A concurrent sign-in may have replaced the hash after the comparison: compare again.
      check: async () =>
        (await this.#checkPassword(attempt)) ?? (await this.#checkPassword(attempt)) ?? { kind: 'wrong' },
      succeeds: ({ kind }) => kind === 'signed_in',
      onFirst: async ({ reached }) => {
        const identity = identityOf((await users.findForSignIn(email))?.user);
        const claimed = knownBrowser === null ? 'e-mail address' : 'browser';
        const details = { limit_of: reached === 'by' ? 'network address' : claimed };
        await auditLog.record({ type: 'sign_in.rate_limited', ...identity, origin, details });
      },
    });
  }

  /** Signs a user in by a passkey, without a password. */
  withPasskey(response: PasskeyResponse, from: From): Promise<SignInOutcome> {
    const { auditLog, failureLimit } = this.#core;
    const { origin } = from;
    // A signature cannot be guessed. The limit is for the work of verifying it.
    const { address } = origin;
    const attempt = { by: 'address', address, of: `passkeys of address ${networkOf(address)}` };
    return failureLimit.run<SignInOutcome>(attempt, {
      check: async () => {
        const proved = await this.#passkeys.prove(response);
        const outcome = proved && (await this.#checkPasskey(proved, from));
        if (outcome !== null) return outcome;
        const identity = proved && { accountId: proved.accountId, userId: proved.userId };
        await auditLog.record({ type: 'sign_in.failed', ...identity, origin });
        return { kind: 'wrong' };
      },
      succeeds: ({ kind }) => kind !== 'wrong',
      onFirst: () => auditLog.record({ type: 'sign_in.rate_limited', origin }),
    });
  }

  /**
   * Constant-time failure: an unknown e-mail address takes as long as a wrong password.
   *
   * @returns `null` when the user was disabled or the password hash was replaced after the comparison
   */
  async #checkPassword(attempt: PasswordAttempt): Promise<SignInOutcome | null> {
    const { email, password, origin, signal } = attempt;
    const { users, passwords, userSessions, auditLog } = this.#core;
    const found = await users.findForSignIn(email);
    const stored = found?.passwordHash ?? null;
    const { matches, replacement } = await passwords.check(stored, password, {
      address: origin.address,
      signal,
    });
    const identity = identityOf(found?.user);
    if (found === null || found.passwordHash === null || !matches) {
      await auditLog.record({ type: 'sign_in.failed', ...identity, origin });
      return { kind: 'wrong' };
    }
    const { user, passwordHash } = found;
    // After the password, so that the message does not reveal the user.
    if (mustUseSingleSignOn(user)) {
      const details = { reason: 'single_sign_on_required' };
      await auditLog.record({ type: 'sign_in.failed', ...identity, origin, details });
      return { kind: 'single_sign_on', accountId: user.accountId };
    }
    const session = await userSessions.createWithPassword(user, attempt, { passwordHash });
    if (session === null) return null;
    if (replacement !== null) {
      await users.replacePasswordHash(user, { from: passwordHash, to: replacement });
    }
    return { kind: 'signed_in', user, ...session };
  }

  async #checkPasskey(
    proved: NonNullable<Awaited<ReturnType<Passkeys['prove']>>>,
    { origin, userAgent }: From,
  ): Promise<SignInOutcome | null> {
    const { database, users, userSessions, auditLog, clock } = this.#core;
    const { accountId, userId } = proved;
    const user = await users.findEnabled(accountId, userId);
    if (user === null) return null;
    const method = 'passkey' as const;
    const identity = { accountId, userId, origin };
    // Owners too: they have a recovery code for the time in which the identity provider fails.
    if (user.onlySingleSignOn) {
      const details = { method, reason: 'single_sign_on_required' };
      await auditLog.record({ type: 'sign_in.failed', ...identity, details });
      return { kind: 'single_sign_on', accountId };
    }
    const at = clock();
    const unused = await change(database.prisma, { accountId, at }, lock.nothing, ({ tx }) =>
      proved.consume(tx, at),
    );
    if (!unused) return null;
    const event = { type: 'sign_in.succeeded', ...identity, details: { method } } as const;
    const from = { address: origin.address, userAgent };
    const sessionId = await userSessions.create(user, from, { event, secondFactor: true, method });
    return sessionId === null ? null : { kind: 'signed_in', user, sessionId, stage: 'complete' };
  }
}

function identityOf(user: User | undefined) {
  return user && { accountId: user.accountId, userId: user.id };
}

function countedAs({ email, knownBrowser, origin }: PasswordAttempt): AuthenticationAttempt {
  const from = { by: 'address', address: origin.address };
  return knownBrowser === null
    ? { ...from, of: `e-mail ${normalizeEmail(email)}`, ofFactor: emailFactor }
    : { ...from, of: knownBrowser };
}
