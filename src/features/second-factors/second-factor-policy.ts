import {
  type AdmittedAccess,
  type RevocationChoice,
  revokeAdmittedAccess,
} from '../../platform/accounts/revoke-user-access.js';
import { requiresSecondFactor, roles, type SecondFactorPolicy } from '../../platform/accounts/user.js';
import type { UserAuditContext } from '../../platform/audit/audit-log.js';
import { change } from '../../platform/changes/change.js';
import { lock } from '../../platform/changes/locks.js';
import { type Database, Prisma } from '../../platform/database/client.js';

/** Which users of an account must have a second factor. */
export class SecondFactorPolicies {
  readonly #prisma: Database['prisma'];

  constructor({ prisma }: Pick<Database, 'prisma'>) {
    this.#prisma = prisma;
  }

  /**
   * Changes the policy, for owners. Users who must have a second factor now and did not before lose the sessions without one,
   * unused authorization codes, and unconfirmed changes of their e-mail addresses: an attacker who has a session could add an
   * own factor, or the address to which a new password is sent.
   *
   * @returns `forbidden` when the user is not an enabled owner
   */
  change(
    context: UserAuditContext,
    to: SecondFactorPolicy,
    choice: RevocationChoice,
  ): Promise<'changed' | 'unchanged' | 'forbidden'> {
    const { accountId } = context;
    return change(this.#prisma, context, lock.owner, async (unit, users) => {
      const { tx } = unit;
      if (users === null) return 'forbidden';
      const account = await tx.account.findFirst({
        where: { id: accountId },
        select: { secondFactorPolicy: true },
      });
      const from = (account?.secondFactorPolicy ?? 'optional') as SecondFactorPolicy;
      const where = { id: accountId, secondFactorPolicy: { not: to } };
      const { count } = await tx.account.updateMany({ where, data: { secondFactorPolicy: to } });
      if (count === 0) return 'unchanged';
      const added = roles.filter(
        (role) => requiresSecondFactor(to, role) && !requiresSecondFactor(from, role),
      );
      const admitted: AdmittedAccess = {
        users: users.filter(({ role }) => added.includes(role)),
        sessions: Prisma.sql`
          NOT single_sign_on
          AND EXISTS (
            SELECT FROM users WHERE users.account_id = sessions.account_id AND users.id = sessions.user_id
              AND users.role = ANY (${added}))
          AND (second_factor_at IS NULL OR NOT (
            EXISTS (
              SELECT FROM totp_factors factor
              WHERE factor.account_id = sessions.account_id AND factor.user_id = sessions.user_id)
            OR EXISTS (
              SELECT FROM passkeys passkey
              WHERE passkey.account_id = sessions.account_id AND passkey.user_id = sessions.user_id)))`,
        links: ['email'],
      };
      const revoked = await revokeAdmittedAccess(unit, admitted, choice);
      await unit.record('account.second_factor_policy_changed', { from, to, ...revoked });
      return 'changed';
    });
  }
}
