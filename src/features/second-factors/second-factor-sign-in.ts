import type { User } from '../../platform/accounts/user.js';
import type { UserAuditContext } from '../../platform/audit/audit-log.js';
import { change } from '../../platform/changes/change.js';
import { lock } from '../../platform/changes/locks.js';
import type { Core } from '../../platform/core.js';
import type { Prisma } from '../../platform/database/client.js';
import { accountScope, withScope } from '../../platform/database/scope.js';
import { countDailyFailure, secondsUntilAccepted } from '../../platform/limits/failure-limit.js';
import { type AuthenticatorApps, isTotpCode } from './authenticator-apps.js';
import { recordSignIn, type SecondFactorMethod, storeSecondFactor } from './factor-changes.js';
import type { PasskeyResponse, Passkeys } from './passkeys.js';
import { consumeRecoveryCode } from './recovery-codes.js';

/** The proof that a user submits after the password: a code of an authenticator app, a recovery code, or a passkey. */
type SecondFactorProof = { readonly code: string } | { readonly passkey: PasskeyResponse };

type SecondFactorOutcome =
  /** `sessionId` is the new id of the session. */
  | { readonly kind: 'signed_in'; readonly sessionId: string }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'rate_limited'; readonly retryAfterSeconds: number }
  /** Too many failures in a day; only a passkey or a recovery code is accepted. */
  | { readonly kind: 'codes_rate_limited'; readonly retryAfterSeconds: number };

/** Consumes a proof in a transaction. Returns whether it was unused. */
type Consume = (tx: Prisma.TransactionClient) => Promise<boolean>;

interface Attempt {
  readonly user: User;
  readonly sessionId: string;
  readonly proof: SecondFactorProof;
}

/** Completes the sign-in of a user who has entered the password. */
export class SecondFactorSignIn {
  readonly #core: Core;
  readonly #apps: AuthenticatorApps;
  readonly #passkeys: Passkeys;

  constructor(core: Core, { apps, passkeys }: { apps: AuthenticatorApps; passkeys: Passkeys }) {
    this.#core = core;
    this.#apps = apps;
    this.#passkeys = passkeys;
  }

  /** Checks a proof, unless the failure limit is reached, and completes the session. A code or challenge is valid once. */
  attempt(context: UserAuditContext, submitted: Attempt): Promise<SecondFactorOutcome> {
    const { auditLog, failureLimit } = this.#core;
    const { accountId, userId, origin } = context;
    // Only users who know the password get here: the limit of a user cannot be used to lock out others.
    const attempt = { by: 'address', address: origin.address, of: `second factor ${userId}` };
    return failureLimit.run(attempt, {
      check: () => this.#checkAttempt(context, submitted),
      succeeds: ({ kind }) => kind === 'signed_in',
      onFirst: () => auditLog.record({ type: 'second_factor.rate_limited', accountId, userId, origin }),
    });
  }

  async #checkAttempt(context: UserAuditContext, submitted: Attempt): Promise<SecondFactorOutcome> {
    const { database, auditLog } = this.#core;
    const { accountId, userId, origin } = context;
    const failures = { kind: 'second factor', userId } as const;
    if (isGuessable(submitted.proof)) {
      const retryAfterSeconds = await secondsUntilAccepted(database.prisma, failures, context.at);
      if (retryAfterSeconds !== null) return { kind: 'codes_rate_limited', retryAfterSeconds };
    }
    const newId = await withScope(accountScope(accountId), () => this.#complete(context, submitted));
    if (newId === null) {
      await countDailyFailure(database.prisma, failures, context.at);
      await auditLog.record({ type: 'second_factor.failed', accountId, userId, origin });
      return { kind: 'wrong' };
    }
    return { kind: 'signed_in', sessionId: newId };
  }

  async #complete(context: UserAuditContext, { user, sessionId, proof }: Attempt): Promise<string | null> {
    const [method, consume] = await this.#check(context, user, proof);
    if (consume === null) return null;
    const { database, securityEmails } = this.#core;
    const newId = await change(database.prisma, context, lock.enabledUser(user.id), async (unit, locked) => {
      if (locked === null || !(await consume(unit.tx))) return null;
      // A session that was revoked meanwhile stays revoked.
      const id = await storeSecondFactor(unit, sessionId, method);
      if (id !== null) await recordSignIn(unit, method);
      return id;
    });
    if (newId !== null && method === 'recovery code')
      securityEmails.send(context, user.id, 'recovery_code_used');
    return newId;
  }

  async #check(
    context: UserAuditContext,
    user: User,
    proof: SecondFactorProof,
  ): Promise<[SecondFactorMethod, Consume | null]> {
    if ('passkey' in proof) {
      // Not without the identity provider: an owner has a recovery code for that.
      if (user.onlySingleSignOn) return ['passkey', null];
      const proved = await this.#passkeys.prove(proof.passkey, user);
      return ['passkey', proved && ((tx) => proved.consume(tx, context.at))];
    }
    const code = withoutSpaces(proof.code);
    if (isTotpCode(code))
      return ['authenticator app', user.onlySingleSignOn ? null : await this.#apps.check(context, code)];
    return ['recovery code', (tx) => consumeRecoveryCode(tx, context, { code, at: context.at })];
  }
}

/** Passkeys and recovery codes cannot be guessed, and are always accepted. */
function isGuessable(proof: SecondFactorProof): boolean {
  return 'code' in proof && isTotpCode(withoutSpaces(proof.code));
}

function withoutSpaces(code: string): string {
  return code.replaceAll(/\s/g, '');
}
