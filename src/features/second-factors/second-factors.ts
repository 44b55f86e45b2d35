import { SessionEndedError } from '../../platform/accounts/sessions.js';
import type { User } from '../../platform/accounts/user.js';
import type { UserAuditContext } from '../../platform/audit/audit-log.js';
import { change } from '../../platform/changes/change.js';
import { lock } from '../../platform/changes/locks.js';
import type { Database } from '../../platform/database/client.js';
import type { SecurityEmails } from '../../platform/mail/security-emails.js';
import { replaceRecoveryCodes } from './recovery-codes.js';

/** The second factors of a user, except passkeys. */
export interface SecondFactorOverview {
  /** When the authenticator app was added; `null` when there is none. */
  readonly appAddedAt: Date | null;
  readonly unusedRecoveryCodes: number;
}

/** The second factors of users, and their recovery codes. */
export class SecondFactors {
  readonly #prisma: Database['prisma'];
  readonly #securityEmails: SecurityEmails;

  constructor({ prisma }: Pick<Database, 'prisma'>, securityEmails: SecurityEmails) {
    this.#prisma = prisma;
    this.#securityEmails = securityEmails;
  }

  async overview({ id: userId, accountId }: Pick<User, 'id' | 'accountId'>): Promise<SecondFactorOverview> {
    const [app, unusedRecoveryCodes] = await Promise.all([
      this.#prisma.totpFactor.findFirst({ where: { accountId, userId }, select: { createdAt: true } }),
      this.#prisma.recoveryCode.count({ where: { accountId, userId, usedAt: null } }),
    ]);
    return { appAddedAt: app?.createdAt ?? null, unusedRecoveryCodes };
  }

  /**
   * Creates ten recovery codes. Earlier ones no longer work.
   *
   * @throws {SessionEndedError} when the user was disabled meanwhile
   */
  async createRecoveryCodes(context: UserAuditContext): Promise<string[]> {
    const { userId } = context;
    const codes = await change(this.#prisma, context, lock.enabledUser(userId), async (unit, user) => {
      if (user === null) throw new SessionEndedError();
      await unit.record('recovery_codes.created');
      return await replaceRecoveryCodes(unit.tx, context);
    });
    this.#securityEmails.send(context, userId, 'recovery_codes_created');
    return codes;
  }
}
