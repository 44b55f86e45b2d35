import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { recordIn } from '../../platform/audit/audit-log.js';
import { type AppSecrets, createSeal, reseal, type Seal } from '../../platform/crypto/keyring.js';
import type { Database, Prisma } from '../../platform/database/client.js';

/** Start of a secret of Standard Webhooks. */
export const secretPrefix = 'whsec_';

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

function createResponseSeal(appSecrets: AppSecrets): Seal {
  return createSeal(appSecrets, 'webhook responses');
}

/** Encryption of the secrets of webhook endpoints. */
export class WebhookSecrets {
  readonly #seal: Seal;
  readonly #responseSeal: Seal;
  /** Secrets by their stored text. Decrypting a secret takes twice the processor time of sending a small webhook. */
  readonly #opened = new LRUCache<string, string>({ max: cachedSecrets });

  constructor(appSecrets: AppSecrets) {
    this.#seal = createWebhookSeal(appSecrets);
    this.#responseSeal = createResponseSeal(appSecrets);
  }

  /** Encrypts a response with a secret, which is stored for repeated requests. */
  sealResponse(body: string): Promise<string> {
    return this.#responseSeal.seal(body);
  }

  /** Decrypts a stored response. */
  async openResponse(sealed: string): Promise<string> {
    return (await this.#responseSeal.open(sealed)).plain;
  }

  /** Creates a secret of Standard Webhooks: `whsec_` and 32 random bytes in base64. */
  async create(): Promise<{ secret: string; sealed: string }> {
    const secret = `${secretPrefix}${randomBytes(32).toString('base64')}`;
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
 * Re-encrypts, in one transaction, the secrets of all webhook endpoints that were encrypted with the previous `APP_SECRET`, and
 * the stored responses with secrets.
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
  const responseSeal = createResponseSeal(appSecrets);
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
    await resealResponses(tx, responseSeal);
    return count;
  });
}

/** Re-encrypts the stored responses with secrets. There are few, because they are deleted after a day. */
async function resealResponses(tx: Prisma.TransactionClient, seal: Seal): Promise<void> {
  const stored = await tx.idempotencyKey.findMany({ where: { secretOf: { not: null } } });
  for (const { accountId, applicationId, userId, key, body } of stored) {
    if (body === null) continue;
    const sealed = await reseal(seal, body, `The response of an idempotency key of account ${accountId}`);
    // A response that was deleted meanwhile must not come back.
    const where = { accountId, applicationId, userId, key, body };
    if (sealed !== body) await tx.idempotencyKey.updateMany({ where, data: { body: sealed } });
  }
}
