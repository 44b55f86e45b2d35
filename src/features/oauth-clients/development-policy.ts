import type { AccountId } from '../../platform/accounts/account-id.js';
import type { UserAuditContext } from '../../platform/audit/audit-log.js';
import { change } from '../../platform/changes/change.js';
import { lock } from '../../platform/changes/locks.js';
import type { Database } from '../../platform/database/client.js';
import { revokeApplicationAccess } from './revoke-application-access.js';

/** Whether an account allows applications in development. */
export class DevelopmentPolicy {
  readonly #prisma: Database['prisma'];

  constructor({ prisma }: Pick<Database, 'prisma'>) {
    this.#prisma = prisma;
  }

  async isAllowed(accountId: AccountId): Promise<boolean> {
    const where = { id: accountId, developmentAllowed: true };
    return (await this.#prisma.account.count({ where })) > 0;
  }

  /**
   * Allows or forbids applications in development. When they are forbidden, all their access is revoked. The token endpoint reads
   * the setting for each request, so that they get no tokens.
   */
  set(context: UserAuditContext, allowed: boolean): Promise<'changed' | 'unchanged'> {
    const { accountId } = context;
    return change(this.#prisma, context, lock.account, async (unit) => {
      const { tx } = unit;
      const where = { id: accountId, developmentAllowed: !allowed };
      const { count } = await tx.account.updateMany({ where, data: { developmentAllowed: allowed } });
      if (count === 0) return 'unchanged';
      const [from, to] = allowed ? ['forbidden', 'allowed'] : ['allowed', 'forbidden'];
      await unit.record('account.development_policy_changed', { from, to });
      if (allowed) return 'changed';
      const applications = await tx.$queryRaw<{ id: string; name: string; clientId: string }[]>`
        SELECT id, name, coalesce(installed_client_id, client_id) AS "clientId" FROM applications
        WHERE account_id = ${accountId} AND in_development ORDER BY id FOR NO KEY UPDATE`;
      await revokeApplicationAccess(unit, applications);
      return 'changed';
    });
  }
}
