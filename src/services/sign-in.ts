import type { AuditLog, AuditOrigin } from './audit-log.js';
import type { Attempt, FailureLimit, LimitReached } from './failure-limit.js';
import { networkOf } from './network-of-address.js';
import { normalizeEmail } from './normalize.js';
import { checkPassword, hashPassword } from './passwords.js';
import type { Sessions } from './sessions.js';
import type { User } from './user.js';
import type { Users } from './users.js';

/** A client claims to be a user. */
export interface SignInAttempt {
  readonly email: string;
  readonly password: string;
  /** Identifies browser and user where this user has signed in from this browser before; `null` elsewhere. */
  readonly knownBrowser: string | null;
  readonly userAgent: string | undefined;
  readonly origin: AuditOrigin;
}

export type SignInOutcome =
  | { readonly kind: 'signed_in'; readonly user: User; readonly sessionId: string }
  /** Unknown and disabled users look the same as a wrong password. */
  | { readonly kind: 'wrong' }
  | { readonly kind: 'rate_limited'; readonly retryAfterSeconds: number };

interface Dependencies {
  readonly users: Users;
  readonly sessions: Sessions;
  readonly auditLog: AuditLog;
  readonly failureLimit: FailureLimit;
}

/**
 * A name may fail this many times as often as an address. It takes several networks to lock a user out of the browsers
 * that the user has not signed in from yet; a known browser has a count of its own.
 */
const nameFactor = 5;

/** Signs users in by e-mail address and password. */
export class SignIn {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** Judges an attempt, unless there were too many failures, and begins a session. */
  async attempt(attempt: SignInAttempt): Promise<SignInOutcome> {
    const { failureLimit } = this.#dependencies;
    const counted = countedAs(attempt);
    const limit = await failureLimit.count(counted);
    if (limit !== null) {
      // Once for each window, so that a flood of attempts is not a flood of events.
      if (limit.first) await this.#recordLimit(attempt, limit);
      return { kind: 'rate_limited', retryAfterSeconds: limit.retryAfterSeconds };
    }
    // A hash that changed between the comparison and the session, because of another sign-in, is compared again.
    const outcome = (await this.#judge(attempt)) ?? (await this.#judge(attempt));
    if (outcome?.kind === 'signed_in') await failureLimit.giveBack(counted);
    return outcome ?? { kind: 'wrong' };
  }

  /**
   * Takes the same work for an unknown e-mail address and a wrong password.
   *
   * @returns `null` when the user was disabled or the password hash replaced in the meantime
   */
  async #judge({ email, password, origin, userAgent }: SignInAttempt): Promise<SignInOutcome | null> {
    const { users, sessions, auditLog } = this.#dependencies;
    const found = await users.findForSignIn(email);
    const { matches, outdated } = await checkPassword(found?.passwordHash ?? null, password);
    const known = found && { accountId: found.user.accountId, userId: found.user.id };
    if (found === null || !matches) {
      await auditLog.record({ type: 'sign_in.failed', ...known, origin });
      return { kind: 'wrong' };
    }
    const { user, passwordHash } = found;
    const event = { type: 'sign_in.succeeded', ...known, origin } as const;
    const from = { address: origin.address, userAgent };
    const sessionId = await sessions.begin(user, from, { passwordHash, event });
    if (sessionId === null) return null;
    if (outdated) {
      await users.replacePasswordHash(user, { from: passwordHash, to: await hashPassword(password) });
    }
    return { kind: 'signed_in', user, sessionId };
  }

  async #recordLimit({ email, knownBrowser, origin }: SignInAttempt, limit: LimitReached): Promise<void> {
    const { users, auditLog } = this.#dependencies;
    const found = await users.findForSignIn(email);
    const known = found && { accountId: found.user.accountId, userId: found.user.id };
    const ofName = knownBrowser === null ? 'e-mail address' : 'browser';
    const details = { limit_of: limit.reached === 'by' ? 'network address' : ofName };
    await auditLog.record({ type: 'sign_in.rate_limited', ...known, origin, details });
  }
}

function countedAs({ email, knownBrowser, origin }: SignInAttempt): Attempt {
  const by = `address ${networkOf(origin.address)}`;
  return knownBrowser === null
    ? { by, of: `e-mail ${normalizeEmail(email)}`, ofFactor: nameFactor }
    : { by, of: knownBrowser };
}
