import { type AppSecrets, createSeal, type Seal } from '../../platform/crypto/keyring.js';
import { resealTable } from '../../platform/crypto/reseal-table.js';
import type { Database } from '../../platform/database/client.js';

/** Encryption of the secrets of identity providers. */
export function createProviderSeal(appSecrets: AppSecrets): Seal {
  return createSeal(appSecrets, 'single-sign-on');
}

/**
 * Re-encrypts the secrets of all identity providers that were encrypted with the previous `APP_SECRET`.
 *
 * @returns number of re-encrypted secrets
 * @throws {UnreadableSecretError} when one was encrypted with another secret
 */
export function resealProviderSecrets(
  database: Pick<Database, 'prisma'>,
  appSecrets: AppSecrets,
  at: Date,
): Promise<number> {
  return resealTable(
    database,
    {
      table: 'identity_providers',
      key: ['account_id'],
      encrypted: ['sealed_secret'],
      others: ['issuer'],
      seal: createProviderSeal(appSecrets),
      name: ({ account_id }) => `The secret of the identity provider of account ${account_id}`,
      events: (providers) =>
        providers.map(({ account_id: accountId, issuer }) => ({
          type: 'identity_provider.resealed',
          accountId,
          details: { issuer },
        })),
    },
    at,
  );
}
