import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { recordIn } from '../../platform/audit/audit-log.js';
import { type AppSecrets, createSeal, reseal, type Seal } from '../../platform/crypto/keyring.js';
import type { Database } from '../../platform/database/client.js';

const cachedSecrets = 10_000;

/** Secrets of an endpoint as they are stored. */
interface SealedSecrets {
  readonly sealedSecret: string;
  readonly sealedPreviousSecret: string | null;
  readonly previousSecretExpiresAt: Date | null;
}

function createWebhookSeal(appSecrets: AppSecrets): Seal {
  return createSeal(appSecrets, 'webhooks');
}

/** Encryption of the secrets of webhook endpoints. */
export class WebhookSecrets {
  readonly #seal: Seal;
  /** Secrets by their stored text. Decrypting a secret takes twice the processor time of sending a small webhook. */
  readonly #opened = new LRUCache<string, string>({ max: cachedSecrets });

  constructor(appSecrets: AppSecrets) {
    this.#seal = createWebhookSeal(appSecrets);
  }

  /** Creates a secret of Standard Webhooks: `whsec_` and 32 random bytes in base64. */
  async create(): Promise<{ secret: string; sealed: string }> {
    const secret = `whsec_${randomBytes(32).toString('base64')}`;
    return { secret, sealed: await this.#seal.seal(secret) };
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
 * @throws {UnreadableSecretError} when one was encrypted with another secret
 */
export function resealWebhookSecrets(
  { prisma }: Pick<Database, 'prisma'>,
  appSecrets: AppSecrets,
  at: Date,
): Promise<number> {
  const seal = createWebhookSeal(appSecrets);
  return prisma.$transaction(async (tx) => {
    // A secret that is replaced meanwhile must not come back.
    await tx.$executeRaw`LOCK TABLE webhook_endpoints IN SHARE ROW EXCLUSIVE MODE`;
    const rows = await tx.webhookEndpoint.findMany({ orderBy: [{ accountId: 'asc' }, { id: 'asc' }] });
    let count = 0;
    for (const { accountId, id, applicationId, sealedSecret, sealedPreviousSecret: previous } of rows) {
      const name = `The secret of the webhook endpoint ${id} of account ${accountId}`;
      const data = {
        sealedSecret: await reseal(seal, sealedSecret, name),
        sealedPreviousSecret: previous === null ? null : await reseal(seal, previous, name),
      };
      if (data.sealedSecret === sealedSecret && data.sealedPreviousSecret === previous) continue;
      await tx.webhookEndpoint.updateMany({ where: { accountId, id }, data });
      const event = { accountId, applicationId, details: { endpoint: id } };
      await recordIn(tx, { type: 'webhook_endpoint.resealed', ...event }, at);
      count += 1;
    }
    return count;
  });
}
