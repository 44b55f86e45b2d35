import type { AuditOrigin } from '../../platform/audit/audit-log.js';
import { change } from '../../platform/changes/change.js';
import { lock } from '../../platform/changes/locks.js';
import type { Core } from '../../platform/core.js';
import { networkOf } from '../../platform/limits/network-of-address.js';
import type { PasskeyResponse, Passkeys } from '../second-factors/index.js';
import type { SignInOutcome } from './sign-in.js';

type Dependencies = Pick<
  Core,
  'database' | 'users' | 'userSessions' | 'auditLog' | 'failureLimit' | 'clock'
> & {
  readonly passkeys: Passkeys;
};

/** Signs users in by a passkey, without a password. */
export class PasskeySignIn {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** Checks a passkey, unless the failure limit is reached, and creates a session. */
  async attempt(
    response: PasskeyResponse,
    { origin, userAgent }: { origin: AuditOrigin; userAgent: string | undefined },
  ): Promise<SignInOutcome> {
    const { passkeys, auditLog, failureLimit } = this.#dependencies;
    // A signature cannot be guessed. The limit is for the work of verifying it.
    const { address } = origin;
    const attempt = { by: 'address', address, of: `passkeys of address ${networkOf(address)}` };
    const limit = await failureLimit.count(attempt);
    if (limit !== null) {
      if (limit.first) await auditLog.record({ type: 'sign_in.rate_limited', origin });
      return { kind: 'rate_limited', retryAfterSeconds: limit.retryAfterSeconds };
    }
    const proved = await passkeys.prove(response);
    const signedIn = proved && (await this.#signIn(proved, { origin, userAgent }));
    if (signedIn === null) {
      const identity = proved && { accountId: proved.accountId, userId: proved.userId };
      await auditLog.record({ type: 'sign_in.failed', ...identity, origin });
      return { kind: 'wrong' };
    }
    await failureLimit.removeFailure(attempt);
    return signedIn;
  }

  async #signIn(
    proved: NonNullable<Awaited<ReturnType<Passkeys['prove']>>>,
    { origin, userAgent }: { origin: AuditOrigin; userAgent: string | undefined },
  ): Promise<SignInOutcome | null> {
    const { database, users, userSessions, clock } = this.#dependencies;
    const { accountId, userId } = proved;
    const user = await users.findEnabled(accountId, userId);
    if (user === null) return null;
    // Owners too: they have a recovery code for the time in which the identity provider fails.
    if (user.onlySingleSignOn) {
      const details = { method: 'passkey', reason: 'single_sign_on_required' };
      await this.#dependencies.auditLog.record({
        type: 'sign_in.failed',
        accountId,
        userId,
        origin,
        details,
      });
      return { kind: 'single_sign_on', accountId };
    }
    const at = clock();
    const unused = await change(database.prisma, { accountId, at }, lock.nothing, ({ tx }) =>
      proved.consume(tx, at),
    );
    if (!unused) return null;
    const details = { method: 'passkey' };
    const event = { type: 'sign_in.succeeded', accountId, userId, origin, details } as const;
    const from = { address: origin.address, userAgent };
    const sessionId = await userSessions.create(user, from, { event, secondFactor: true });
    return sessionId === null ? null : { kind: 'signed_in', user, sessionId, stage: 'complete' };
  }
}
