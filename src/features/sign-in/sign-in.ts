import { normalizeEmail } from '../../platform/accounts/normalize.js';
import { type SignInStage, signInStage } from '../../platform/accounts/sign-in-stage.js';
import { mustUseSingleSignOn, type User } from '../../platform/accounts/user.js';
import type { AuditOrigin } from '../../platform/audit/audit-log.js';
import type { Core } from '../../platform/core.js';
import type { AuthenticationAttempt, LimitReached } from '../../platform/limits/failure-limit.js';

interface SignInAttempt {
  readonly email: string;
  readonly password: string;
  /** Identifies browser and user when the user has signed in from this browser before; `null` otherwise. */
  readonly trustedDevice: string | null;
  readonly userAgent: string | undefined;
  readonly origin: AuditOrigin;
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
  /** The password is wrong, or the user is unknown or disabled. */
  | { readonly kind: 'wrong' }
  /** The password is right, and the account requires single sign-on of the user. */
  | { readonly kind: 'single_sign_on'; readonly accountId: string }
  | { readonly kind: 'rate_limited'; readonly retryAfterSeconds: number };

type Dependencies = Pick<Core, 'users' | 'passwords' | 'userSessions' | 'auditLog' | 'failureLimit'>;

/**
 * Factor of the failure limit for an e-mail address. An attacker needs several networks to lock a user out of new browsers.
 * Known browsers are counted separately.
 */
const emailFactor = 5;

/** Signs users in by e-mail address and password. */
export class SignIn {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Checks an attempt, unless the failure limit is reached, and creates a session. An attempt that is rejected because of
   * overload stays counted as a failure.
   *
   * @throws {Problem} 503 `service_unavailable` when too many passwords are being hashed
   * @throws the reason of the signal when it aborts before the password is checked
   */
  async attempt(attempt: SignInAttempt): Promise<SignInOutcome> {
    const { failureLimit } = this.#dependencies;
    const counted = countedAs(attempt);
    const limit = await failureLimit.count(counted);
    if (limit !== null) {
      // Once for each window, so that an attack does not fill the audit log.
      if (limit.first) await this.#recordLimit(attempt, limit);
      return { kind: 'rate_limited', retryAfterSeconds: limit.retryAfterSeconds };
    }
    // A concurrent sign-in may have replaced the hash after the comparison: compare again.
    const outcome = (await this.#check(attempt)) ?? (await this.#check(attempt));
    if (outcome?.kind === 'signed_in') await failureLimit.removeFailure(counted);
    return outcome ?? { kind: 'wrong' };
  }

  /**
   * Constant-time failure: an unknown e-mail address takes as long as a wrong password.
   *
   * @returns `null` when the user was disabled or the password hash was replaced after the comparison
   */
  async #check(attempt: SignInAttempt): Promise<SignInOutcome | null> {
    const { email, password, origin, userAgent, signal } = attempt;
    const { users, passwords, userSessions, auditLog } = this.#dependencies;
    const found = await users.findForSignIn(email);
    const stored = found?.passwordHash ?? null;
    const { matches, replacement } = await passwords.check(stored, password, {
      address: origin.address,
      signal,
    });
    const identity = found && { accountId: found.user.accountId, userId: found.user.id };
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
    const stage = signInStage(user, { secondFactorAt: null, singleSignOn: false });
    const complete = stage === 'complete';
    const type = complete ? 'sign_in.succeeded' : 'sign_in.password_accepted';
    const event = { type, ...identity, origin } as const;
    const from = { address: origin.address, userAgent };
    const sessionId = await userSessions.create(user, from, { passwordHash, event, complete });
    if (sessionId === null) return null;
    if (replacement !== null) {
      await users.replacePasswordHash(user, { from: passwordHash, to: replacement });
    }
    return { kind: 'signed_in', user, sessionId, stage };
  }

  async #recordLimit({ email, trustedDevice, origin }: SignInAttempt, limit: LimitReached): Promise<void> {
    const { users, auditLog } = this.#dependencies;
    const found = await users.findForSignIn(email);
    const identity = found && { accountId: found.user.accountId, userId: found.user.id };
    const identityKind = trustedDevice === null ? 'e-mail address' : 'browser';
    const details = { limit_of: limit.reached === 'by' ? 'network address' : identityKind };
    await auditLog.record({ type: 'sign_in.rate_limited', ...identity, origin, details });
  }
}

function countedAs({ email, trustedDevice, origin }: SignInAttempt): AuthenticationAttempt {
  const from = { by: 'address', address: origin.address };
  return trustedDevice === null
    ? { ...from, of: `e-mail ${normalizeEmail(email)}`, ofFactor: emailFactor }
    : { ...from, of: trustedDevice };
}
