import { recordIn } from '../../platform/audit/audit-log.js';
import { type AppSecrets, createSeal, type Seal } from '../../platform/crypto/keyring.js';
import type { Database } from '../../platform/database/client.js';

/** Encryption of the secrets of identity providers. */
export function createProviderSeal(appSecrets: AppSecrets): Seal {
  return createSeal(appSecrets, 'single-sign-on');
}

/** The secret of an identity provider was encrypted with a secret that this process does not have. */
export class UnreadableProviderSecretError extends Error {
  override readonly name = 'UnreadableProviderSecretError';
}

/** The encrypted secrets of all identity providers, for the operator. */
export class ProviderSecrets {
  readonly #prisma: Database['prisma'];

  constructor({ prisma }: Pick<Database, 'prisma'>) {
    this.#prisma = prisma;
  }

  /**
   * Re-encrypts, in one transaction, all secrets that were encrypted with the previous `APP_SECRET`.
   *
   * @returns number of re-encrypted secrets
   * @throws {UnreadableProviderSecretError} when one was encrypted with another secret
   */
  reseal(seal: Seal, at: Date): Promise<number> {
    return this.#prisma.$transaction(async (tx) => {
      // An owner who saves a secret meanwhile must not get back the earlier one.
      await tx.$executeRaw`LOCK TABLE identity_providers IN SHARE ROW EXCLUSIVE MODE`;
      const rows = await tx.identityProvider.findMany({ orderBy: { accountId: 'asc' } });
      let count = 0;
      for (const { accountId, issuer, sealedSecret } of rows) {
        const { plain, current } = await seal.open(sealedSecret).catch((cause) => {
          throw new UnreadableProviderSecretError(
            `The secret of the identity provider of account ${accountId} was encrypted with another APP_SECRET: set APP_SECRET or APP_SECRET_PREVIOUS to the earlier value`,
            { cause },
          );
        });
        if (current) continue;
        const data = { sealedSecret: await seal.seal(plain) };
        await tx.identityProvider.updateMany({ where: { accountId }, data });
        await recordIn(tx, { type: 'identity_provider.resealed', accountId, details: { issuer } }, at);
        count += 1;
      }
      return count;
    });
  }
}
