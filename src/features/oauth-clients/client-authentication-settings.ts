import type { ClientKeySet } from '../../oauth/clients/client-keys.js';
import type { UserAuditContext } from '../../platform/audit/audit-log.js';
import { change } from '../../platform/changes/change.js';
import { lock } from '../../platform/changes/locks.js';
import { type Database, Prisma } from '../../platform/database/client.js';
import { randomId } from '../../platform/database/ids.js';
import { consumeNonce } from '../../platform/idempotency/submitted-forms.js';
import { expiryDetails, newClientSecret, storeSecret } from './secret-expiry.js';

/** The keys of an application: a set, or the URL of one. */
export type NewKeys = { readonly jwks: ClientKeySet } | { readonly jwksUri: string };

type SecretInstead =
  /** `clientSecret` cannot be read later. */
  | { readonly kind: 'created'; readonly clientId: string; readonly clientSecret: string }
  | { readonly kind: 'repeated' | 'not_found' | 'no_keys' };

/**
 * How a confidential application authenticates: with its secrets or with its keys, never with both. Each change is one transaction
 * together with its audit event.
 */
export class ClientAuthenticationSettings {
  readonly #prisma: Database['prisma'];

  constructor({ prisma }: Database) {
    this.#prisma = prisma;
  }

  /** Sets the keys of an application, in place of its secrets or its earlier keys. Issued tokens stay valid. */
  useKeys(
    auditContext: UserAuditContext,
    { applicationId, keys }: { applicationId: string; keys: NewKeys },
  ): Promise<'changed' | 'not_found'> {
    const { accountId, at } = auditContext;
    const context = { ...auditContext, applicationId };
    return change(this.#prisma, context, lock.application, async (unit, application) => {
      if (application === null || application.isInstallation || application.clientType === 'public')
        return 'not_found';
      const { tx } = unit;
      const { count } = await tx.applicationSecret.deleteMany({ where: { accountId, applicationId } });
      const stored =
        'jwks' in keys
          ? { jwks: keys.jwks as unknown as Prisma.InputJsonObject, jwksUri: null }
          : { jwks: Prisma.DbNull, jwksUri: keys.jwksUri };
      await tx.application.update({
        where: { accountId_id: { accountId, id: applicationId } },
        data: { ...stored, updatedAt: at },
      });
      await unit.record('application.keys_changed', {
        ...('jwks' in keys ? { keys: keys.jwks.keys.map(describeKey) } : { jwks_uri: keys.jwksUri }),
        ...(count > 0 && { revoked_secrets: String(count) }),
      });
      return 'changed';
    });
  }

  /**
   * Creates a secret in place of the keys.
   *
   * @param expiresAt time from which on the secret is rejected; `null`: it never expires
   */
  useSecret(
    auditContext: UserAuditContext,
    { applicationId, nonce, expiresAt }: { applicationId: string; nonce: string; expiresAt: Date | null },
  ): Promise<SecretInstead> {
    const { accountId, at } = auditContext;
    const id = randomId();
    const secret = newClientSecret();
    const context = { ...auditContext, applicationId };
    return change(this.#prisma, context, lock.application, async (unit, application) => {
      if (application === null || application.isInstallation) return { kind: 'not_found' };
      const { tx } = unit;
      if ((await consumeNonce(unit, nonce, id)) !== null) return { kind: 'repeated' };
      const { count } = await tx.application.updateMany({
        where: {
          accountId,
          id: applicationId,
          NOT: { AND: [{ jwks: { equals: Prisma.DbNull } }, { jwksUri: null }] },
        },
        data: { jwks: Prisma.DbNull, jwksUri: null, updatedAt: at },
      });
      if (count === 0) return { kind: 'no_keys' };
      await storeSecret(unit, { id, ...secret.stored, expiresAt });
      await unit.record('application.keys_removed');
      await unit.record('application.secret_created', expiryDetails(expiresAt));
      return { kind: 'created', clientId: application.clientId, clientSecret: secret.value };
    });
  }
}

function describeKey({ kty, kid }: { readonly kty: string; readonly kid?: string }): string {
  return kid === undefined ? kty : `${kty} ${kid}`;
}
