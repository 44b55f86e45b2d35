import { type AppSecrets, createSeal, type Seal } from '../../platform/crypto/keyring.js';
import { type Database, Prisma } from '../../platform/database/client.js';

interface SealedRow {
  readonly accountId: string;
  readonly userId: string;
  readonly sealedSecret: string;
}

/** Number of secrets that one statement reads when they are re-encrypted. */
const resealBatch = 500;

/** Encryption of the secrets of authenticator apps. */
export function createAppSeal(appSecrets: AppSecrets): Seal {
  return createSeal(appSecrets, 'authenticator-apps');
}

/** The encrypted secrets of all authenticator apps, for the operator. */
export class AuthenticatorAppSecrets {
  readonly #prisma: Database['prisma'];

  constructor({ prisma }: Pick<Database, 'prisma'>) {
    this.#prisma = prisma;
  }

  /**
   * Re-encrypts with the current secret of the application all secrets that were encrypted with the previous one. For the
   * operator only.
   *
   * @returns number of re-encrypted secrets
   * @throws {Error} when a secret was encrypted with another one
   */
  async reseal(seal: Seal): Promise<number> {
    let count = 0;
    for (let last = { accountId: '', userId: '' }; ; ) {
      const rows = await this.#prisma.$queryRaw<SealedRow[]>`
        SELECT account_id AS "accountId", user_id AS "userId", sealed_secret AS "sealedSecret" FROM totp_factors
        WHERE (account_id, user_id) > (${last.accountId}, ${last.userId})
        ORDER BY account_id, user_id LIMIT ${resealBatch}`;
      count += await this.#resealRows(rows, seal);
      const end = rows.at(-1);
      if (end === undefined) return count;
      last = end;
    }
  }

  async #resealRows(rows: readonly SealedRow[], seal: Seal): Promise<number> {
    const resealed = await Promise.all(
      rows.map(async ({ accountId, userId, sealedSecret }) => {
        const { plain, current } = await seal.open(sealedSecret);
        return current
          ? []
          : [Prisma.sql`(${accountId}, ${userId}, ${sealedSecret}, ${await seal.seal(plain)})`];
      }),
    );
    const values = resealed.flat();
    if (values.length === 0) return 0;
    // The secret may have been replaced meanwhile.
    return await this.#prisma.$executeRaw`
      UPDATE totp_factors stored SET sealed_secret = resealed.new
      FROM (VALUES ${Prisma.join(values)}) AS resealed (account_id, user_id, old, new)
      WHERE stored.account_id = resealed.account_id AND stored.user_id = resealed.user_id
        AND stored.sealed_secret = resealed.old`;
  }
}
