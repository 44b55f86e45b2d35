import type { Database } from '../../database/client.js';
import type { UserAuditContext } from '../audit-context.js';
import { recordIn } from '../audit-log.js';
import { lockUserRole } from '../lock-user-role.js';
import type { SecondFactorPolicy } from '../user.js';

/** Which users of an account must have a second factor. */
export class SecondFactorPolicies {
  readonly #prisma: Database['prisma'];

  constructor({ prisma }: Pick<Database, 'prisma'>) {
    this.#prisma = prisma;
  }

  /**
   * Changes the policy, for owners. It applies to all sessions from the next request on.
   *
   * @returns `forbidden` when the user is not an enabled owner
   */
  change(
    { accountId, userId, origin, at }: UserAuditContext,
    to: SecondFactorPolicy,
  ): Promise<'changed' | 'unchanged' | 'forbidden'> {
    return this.#prisma.$transaction(async (tx) => {
      if ((await lockUserRole(tx, accountId, userId)) !== 'owner') return 'forbidden';
      const account = await tx.account.findFirst({
        where: { id: accountId },
        select: { secondFactorPolicy: true },
      });
      const from = account?.secondFactorPolicy ?? 'optional';
      const where = { id: accountId, secondFactorPolicy: { not: to } };
      const { count } = await tx.account.updateMany({ where, data: { secondFactorPolicy: to } });
      if (count === 0) return 'unchanged';
      const details = { from, to };
      await recordIn(
        tx,
        { type: 'account.second_factor_policy_changed', accountId, userId, origin, details },
        at,
      );
      return 'changed';
    });
  }
}
