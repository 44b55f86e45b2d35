import type { AuditLog, UserAuditContext } from '../audit/audit-log.js';
import type { Database } from '../database/client.js';
import { countDailyFailure, type FailureLimit, secondsUntilAccepted } from '../limits/failure-limit.js';
import type { Passwords } from './passwords.js';
import type { Sessions } from './sessions.js';
import type { User } from './user.js';
import type { Users } from './users.js';

/** A signed-in user who enters the password again. */
export interface Confirmation {
  readonly user: User;
  readonly sessionId: string;
  readonly password: string;
  readonly context: UserAuditContext;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

export type ConfirmationOutcome =
  | { readonly kind: 'confirmed' }
  | { readonly kind: 'wrong' }
  /** `today`: too many failures in a day, otherwise in a minute. */
  | { readonly kind: 'rate_limited'; readonly retryAfterSeconds: number; readonly today?: true };

interface Dependencies {
  readonly database: Pick<Database, 'prisma'>;
  readonly users: Users;
  readonly passwords: Passwords;
  readonly sessions: Sessions;
  readonly auditLog: AuditLog;
  readonly failureLimit: FailureLimit;
}

/** Verifies the password of a signed-in user, so that an unattended or stolen session does not suffice for every action. */
export class Reauthentication {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Checks a password, unless a limit of failures is reached, and stores in the session that it was entered.
   *
   * @throws {Problem} 503 `service_unavailable` when too many passwords are being hashed
   * @throws the reason of the signal when it aborts before the password is checked
   */
  confirm(confirmation: Confirmation): Promise<ConfirmationOutcome> {
    const { auditLog, failureLimit } = this.#dependencies;
    const { user, context } = confirmation;
    const { origin } = context;
    const identity = { accountId: user.accountId, userId: user.id, origin };
    // Not counted with sign-ins: a stolen session must not lock the user out.
    const attempt = { by: 'address', address: origin.address, of: `reauthentication ${user.id}` };
    return failureLimit.run(attempt, {
      check: () => this.#check(confirmation, identity),
      succeeds: ({ kind }) => kind === 'confirmed',
      onFirst: () => auditLog.record({ type: 'reauthentication.rate_limited', ...identity }),
    });
  }

  async #check(
    { user, sessionId, password, context, signal }: Confirmation,
    identity: Pick<UserAuditContext, 'accountId' | 'userId' | 'origin'>,
  ): Promise<ConfirmationOutcome> {
    const { database, users, passwords, sessions, auditLog } = this.#dependencies;
    const failures = { kind: 'reauthentication', userId: user.id } as const;
    const retryAfterSeconds = await secondsUntilAccepted(database.prisma, failures, context.at);
    if (retryAfterSeconds !== null) return { kind: 'rate_limited', retryAfterSeconds, today: true };
    const { address } = context.origin;
    const { matches } = await passwords.check(await users.passwordHashOf(user), password, {
      address,
      signal,
    });
    if (!matches) {
      await countDailyFailure(database.prisma, failures, context.at);
      await auditLog.record({ type: 'reauthentication.failed', ...identity });
      return { kind: 'wrong' };
    }
    await sessions.confirm(sessionId, { type: 'reauthentication.succeeded', ...identity }, 'password');
    return { kind: 'confirmed' };
  }
}
