import { recordIn } from '../../platform/audit/audit-log.js';
import { type AppSecrets, createSeal, reseal, type Seal } from '../../platform/crypto/keyring.js';
import type { Database } from '../../platform/database/client.js';

/** Encryption of the secrets of identity providers. */
export function createProviderSeal(appSecrets: AppSecrets): Seal {
  return createSeal(appSecrets, 'single-sign-on');
}

/**
 * Re-encrypts, in one transaction, the secrets of all identity providers that were encrypted with the previous `APP_SECRET`.
 *
 * @returns number of re-encrypted secrets
 * @throws {UnreadableSecretError} when one was encrypted with another secret
 */
export function resealProviderSecrets(
  { prisma }: Pick<Database, 'prisma'>,
  appSecrets: AppSecrets,
  at: Date,
): Promise<number> {
  const seal = createProviderSeal(appSecrets);
  return prisma.$transaction(async (tx) => {
    // An owner who saves a secret meanwhile must not get back the earlier one.
    await tx.$executeRaw`LOCK TABLE identity_providers IN SHARE ROW EXCLUSIVE MODE`;
    let count = 0;
    for (const row of await tx.identityProvider.findMany({ orderBy: { accountId: 'asc' } })) {
      const { accountId, issuer } = row;
      const name = `The secret of the identity provider of account ${accountId}`;
      const sealedSecret = await reseal(seal, row.sealedSecret, name);
      if (sealedSecret === row.sealedSecret) continue;
      await tx.identityProvider.updateMany({ where: { accountId }, data: { sealedSecret } });
      await recordIn(tx, { type: 'identity_provider.resealed', accountId, details: { issuer } }, at);
      count += 1;
    }
    return count;
  });
}
