import type { AccountId } from '../../platform/accounts/account-id.js';
import { type AuditContext, recordAllIn } from '../../platform/audit/audit-log.js';
import { change, Unit } from '../../platform/changes/change.js';
import { lock } from '../../platform/changes/locks.js';
import type { Database } from '../../platform/database/client.js';
import { allAccounts, withScope } from '../../platform/database/scope.js';

export type PublishOutcome =
  | 'published'
  | 'already_published'
  /** The account has not registered such an application. */
  | 'not_found'
  | 'in_development'
  | 'no_redirect_uri';

/** An installation that was deleted because its application was withdrawn. */
interface DeletedInstallation {
  readonly accountId: AccountId;
  readonly id: string;
  readonly name: string;
}

/** The applications of accounts that other accounts can use. */
export class Publications {
  readonly #prisma: Database['prisma'];

  constructor({ prisma }: Pick<Database, 'prisma'>) {
    this.#prisma = prisma;
  }

  /** Publishes the application of the context, with its audit event. Other accounts can use it as soon as they approve it. */
  publish(context: AuditContext & { readonly applicationId: string }): Promise<PublishOutcome> {
    const { accountId, applicationId, at } = context;
    return change(this.#prisma, context, lock.application, async (unit, application) => {
      const { tx } = unit;
      if (application === null || application.isInstallation) return 'not_found';
      const { clientId, name, redirectUris, inDevelopment } = application;
      if ((await tx.sharedApplication.count({ where: { clientId } })) > 0) return 'already_published';
      if (inDevelopment) return 'in_development';
      if (!redirectUris.some((uri) => /^https:/i.test(uri))) return 'no_redirect_uri';
      await tx.sharedApplication.create({
        data: { clientId, publisherAccountId: accountId, applicationId, createdAt: at },
      });
      await unit.record('application.published', { name, client_id: clientId });
      return 'published';
    });
  }

  /**
   * Withdraws the application of the context from other accounts. Its installations are deleted with their grants, tokens and webhook
   * endpoints. Each account has an audit event.
   *
   * @returns the number of accounts that lose it; `null` when it is not published
   */
  withdraw(context: AuditContext & { readonly applicationId: string }): Promise<number | null> {
    const { accountId, applicationId } = context;
    // In the scope of all accounts, because the installations belong to other accounts.
    return withScope(allAccounts, () =>
      this.#prisma.$transaction(async (tx) => {
        const application = await lock.application(tx, context);
        // No account can approve it after this lock.
        const [shared] = await tx.$queryRaw<{ clientId: string }[]>`
          SELECT client_id AS "clientId" FROM shared_applications
          WHERE publisher_account_id = ${accountId} AND application_id = ${applicationId} FOR UPDATE`;
        if (application === null || shared === undefined) return null;
        const { clientId } = shared;
        const installations = await tx.$queryRaw<DeletedInstallation[]>`
          SELECT account_id AS "accountId", id, name FROM applications
          WHERE installed_client_id = ${clientId} ORDER BY account_id`;
        await tx.sharedApplication.delete({ where: { clientId } });
        const unit = new Unit(tx, context);
        await unit.record('application.withdrawn', {
          name: application.name,
          client_id: clientId,
          accounts: String(installations.length),
        });
        await recordWithdrawals(unit, clientId, installations);
        return installations.length;
      }),
    );
  }
}

/** Tells each account that it has lost the application. The user who withdrew it belongs to another account, and is not named. */
async function recordWithdrawals(
  { tx, context: { at } }: Unit,
  clientId: string,
  installations: readonly DeletedInstallation[],
): Promise<void> {
  await recordAllIn(
    tx,
    installations.map(({ accountId, id: applicationId, name }) => ({
      type: 'application.withdrawn',
      accountId,
      applicationId,
      details: { name, client_id: clientId },
    })),
    at,
  );
}
