import type { UserAuditContext } from '../../platform/audit/audit-log.js';
import { change } from '../../platform/changes/change.js';
import { lock } from '../../platform/changes/locks.js';
import type { Database } from '../../platform/database/client.js';
import { randomId } from '../../platform/database/ids.js';
import { consumeNonce, restoreNonce } from '../../platform/idempotency/submitted-forms.js';
import { expiryDetails, isExpired, newClientSecret, storeSecret } from './secret-expiry.js';

/** Maximum number of secrets of an application: the one in use and its replacement. */
export const maximumSecrets = 2;

type CreatedSecret =
  /** `clientSecret` cannot be read later. */
  | { readonly kind: 'created'; readonly clientId: string; readonly clientSecret: string }
  | { readonly kind: 'repeated' | 'not_found' | 'public_client' | 'uses_keys' | 'limit_reached' };

type RevokeOutcome = 'revoked' | 'not_found' | 'only_one';

/** The secrets of confidential applications. Each change is one transaction together with its audit event. */
export class ClientSecrets {
  readonly #prisma: Database['prisma'];

  constructor({ prisma }: Database) {
    this.#prisma = prisma;
  }

  /**
   * Creates a second secret for a confidential application; both are accepted until one is revoked or expires.
   *
   * @param expiresAt time from which on the secret is rejected; `null`: it never expires
   */
  create(
    auditContext: UserAuditContext,
    { applicationId, nonce, expiresAt }: { applicationId: string; nonce: string; expiresAt: Date | null },
  ): Promise<CreatedSecret> {
    const { accountId } = auditContext;
    const id = randomId();
    const secret = newClientSecret();
    const context = { ...auditContext, applicationId };
    return change(this.#prisma, context, lock.application, async (unit, application) => {
      const { tx } = unit;
      // The credentials of an installation are those of its publisher.
      if (application === null || application.isInstallation) return { kind: 'not_found' };
      if (application.clientType === 'public') return { kind: 'public_client' };
      if (application.usesKeys) return { kind: 'uses_keys' };
      if ((await consumeNonce(unit, nonce, id)) !== null) return { kind: 'repeated' };
      if ((await tx.applicationSecret.count({ where: { accountId, applicationId } })) >= maximumSecrets) {
        await restoreNonce(unit, nonce);
        return { kind: 'limit_reached' };
      }
      await storeSecret(unit, { id, ...secret.stored, expiresAt });
      await unit.record('application.secret_created', expiryDetails(expiresAt));
      return { kind: 'created', clientId: application.clientId, clientSecret: secret.value };
    });
  }

  /** Deletes a secret, unless it is the only one that is valid: without it the application cannot authenticate. */
  revoke(
    auditContext: UserAuditContext,
    { applicationId, secretId }: { applicationId: string; secretId: string },
  ): Promise<RevokeOutcome> {
    const { accountId, at } = auditContext;
    const context = { ...auditContext, applicationId };
    return change(this.#prisma, context, lock.application, async (unit, application) => {
      const { tx } = unit;
      if (application === null) return 'not_found';
      const secrets = await tx.applicationSecret.findMany({ where: { accountId, applicationId } });
      const secret = secrets.find(({ id }) => id === secretId);
      if (secret === undefined) return 'not_found';
      const others = secrets.filter(({ id }) => id !== secretId);
      if (others.length === 0 || (!isExpired(secret, at) && others.every((other) => isExpired(other, at))))
        return 'only_one';
      await tx.applicationSecret.delete({
        where: { accountId_id: { accountId, id: secretId }, applicationId },
      });
      await unit.record('application.secret_revoked', { created_at: secret.createdAt.toISOString() });
      return 'revoked';
    });
  }
}
