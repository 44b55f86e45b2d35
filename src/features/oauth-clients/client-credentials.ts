import type { ClientKeySet } from '../../oauth/clients/client-keys.js';
import type { UserAuditContext } from '../../platform/audit/audit-log.js';
import { change } from '../../platform/changes/change.js';
import { lock } from '../../platform/changes/locks.js';
import { type Database, Prisma } from '../../platform/database/client.js';
import { randomId } from '../../platform/database/ids.js';
import { consumeNonce, restoreNonce } from '../../platform/idempotency/submitted-forms.js';
import { expiryDetails, isExpired, newClientSecret, storeSecret } from './secret-expiry.js';

/** Maximum number of secrets of an application: the one in use and its replacement. */
export const maximumSecrets = 2;

/** The keys of an application: a set, or the URL of one. */
export type NewKeys = { readonly jwks: ClientKeySet } | { readonly jwksUri: string };

interface SecretRequest {
  readonly applicationId: string;
  /** Identifies the form, so that a second submission creates no secret. */
  readonly nonce: string;
  /** Time from which on the secret is rejected; `null`: it never expires. */
  readonly expiresAt: Date | null;
}

type SecretOutcome<Rejection> =
  /** `clientSecret` cannot be read later. */
  | { readonly kind: 'created'; readonly clientId: string; readonly clientSecret: string }
  | { readonly kind: 'repeated' | 'not_found' | Rejection };

type RevokeOutcome = 'revoked' | 'not_found' | 'only_one';

/**
 * The credentials of confidential applications: secrets or keys, never both. Each change is one transaction together with its
 * audit event.
 */
export class ClientCredentials {
  readonly #prisma: Database['prisma'];

  constructor({ prisma }: Database) {
    this.#prisma = prisma;
  }

  /** Creates a second secret for a confidential application; both are accepted until one is revoked or expires. */
  createSecret(
    auditContext: UserAuditContext,
    { applicationId, nonce, expiresAt }: SecretRequest,
  ): Promise<SecretOutcome<'public_client' | 'uses_keys' | 'limit_reached'>> {
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
  revokeSecret(
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

  /** Creates a secret in place of the keys. */
  useSecret(
    auditContext: UserAuditContext,
    { applicationId, nonce, expiresAt }: SecretRequest,
  ): Promise<SecretOutcome<'no_keys'>> {
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
