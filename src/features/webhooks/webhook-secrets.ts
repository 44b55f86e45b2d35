import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { recordIn } from '../../platform/audit/audit-log.js';
import { type AppSecrets, createSeal, type Seal } from '../../platform/crypto/keyring.js';
import type { Database } from '../../platform/database/client.js';

const cachedSecrets = 10_000;

/** Secrets of an endpoint as they are stored. */
interface SealedSecrets {
  readonly sealedSecret: string;
  readonly sealedPreviousSecret: string | null;
  readonly previousSecretExpiresAt: Date | null;
}

/** The secret of an endpoint was encrypted with a secret that this process does not have. */
export class UnreadableWebhookSecretError extends Error {
  override readonly name = 'UnreadableWebhookSecretError';
}

/** Encryption of the secrets of webhook endpoints. */
export class WebhookSecrets {
  readonly #seal: Seal;
  /** Secrets by their stored text. Decrypting a secret takes twice the processor time of sending a small webhook. */
  readonly #opened = new LRUCache<string, string>({ max: cachedSecrets });

  constructor(appSecrets: AppSecrets) {
    this.#seal = createSeal(appSecrets, 'webhooks');
  }

  /** Creates a secret of Standard Webhooks: `whsec_` and 32 random bytes in base64. */
  async create(): Promise<{ secret: string; sealed: string }> {
    const secret = `whsec_${randomBytes(32).toString('base64')}`;
    return { secret, sealed: await this.#seal.seal(secret) };
  }

  /**
   * Encrypts a secret with the current key, unless it is already.
   *
   * @throws {UnreadableWebhookSecretError}
   */
  async reseal(sealed: string, { accountId, id }: { accountId: string; id: string }): Promise<string> {
    const { plain, current } = await this.#seal.open(sealed).catch((cause) => {
      throw new UnreadableWebhookSecretError(
        `The secret of the webhook endpoint ${id} of account ${accountId} was encrypted with another APP_SECRET: set APP_SECRET or APP_SECRET_PREVIOUS to the earlier value`,
        { cause },
      );
    });
    return current ? sealed : await this.#seal.seal(plain);
  }

  /** Decrypts the secrets that sign at a time, the current one first. */
  async open(stored: SealedSecrets, at: Date): Promise<string[]> {
    const { sealedSecret, sealedPreviousSecret: previous, previousSecretExpiresAt: expiresAt } = stored;
    const sealed = [sealedSecret];
    if (previous !== null && expiresAt !== null && expiresAt > at) sealed.push(previous);
    return await Promise.all(sealed.map((text) => this.#opened.get(text) ?? this.#open(text)));
  }

  async #open(sealed: string): Promise<string> {
    const { plain } = await this.#seal.open(sealed);
    this.#opened.set(sealed, plain);
    return plain;
  }
}

/**
 * Re-encrypts, in one transaction, the secrets of all webhook endpoints that were encrypted with the previous `APP_SECRET`.
 *
 * @returns number of endpoints whose secrets were re-encrypted
 * @throws {UnreadableWebhookSecretError} when one was encrypted with another secret
 */
export function resealWebhookSecrets(
  { prisma }: Pick<Database, 'prisma'>,
  appSecrets: AppSecrets,
  at: Date,
): Promise<number> {
  const secrets = new WebhookSecrets(appSecrets);
  return prisma.$transaction(async (tx) => {
    // A secret that is replaced meanwhile must not come back.
    await tx.$executeRaw`LOCK TABLE webhook_endpoints IN SHARE ROW EXCLUSIVE MODE`;
    const rows = await tx.webhookEndpoint.findMany({ orderBy: [{ accountId: 'asc' }, { id: 'asc' }] });
    let count = 0;
    for (const row of rows) {
      const { accountId, id, applicationId } = row;
      const sealedSecret = await secrets.reseal(row.sealedSecret, row);
      const sealedPreviousSecret =
        row.sealedPreviousSecret === null ? null : await secrets.reseal(row.sealedPreviousSecret, row);
      if (sealedSecret === row.sealedSecret && sealedPreviousSecret === row.sealedPreviousSecret) continue;
      await tx.webhookEndpoint.updateMany({
        where: { accountId, id },
        data: { sealedSecret, sealedPreviousSecret },
      });
      const event = { accountId, applicationId, details: { endpoint: id } };
      await recordIn(tx, { type: 'webhook_endpoint.resealed', ...event }, at);
      count += 1;
    }
    return count;
  });
}
