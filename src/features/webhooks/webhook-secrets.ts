import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type AppSecrets, createSeal, type Seal } from '../../platform/crypto/keyring.js';
import { resealTable } from '../../platform/crypto/reseal-table.js';
import { type Database, Prisma } from '../../platform/database/client.js';

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
 * Re-encrypts the secrets of all webhook endpoints that were encrypted with the previous `APP_SECRET`, and the stored responses with
 * secrets.
 *
 * @returns number of endpoints whose secrets were re-encrypted
 * @throws {UnreadableSecretError} when one was encrypted with another secret
 */
export async function resealWebhookSecrets(
  database: Pick<Database, 'prisma'>,
  appSecrets: AppSecrets,
  at: Date,
): Promise<number> {
  const count = await resealTable(
    database,
    {
      table: 'webhook_endpoints',
      key: ['account_id', 'id'],
      encrypted: ['sealed_secret', 'sealed_previous_secret'],
      others: ['application_id'],
      seal: createWebhookSeal(appSecrets),
      name: ({ account_id, id }) => `The secret of the webhook endpoint ${id} of account ${account_id}`,
      events: (endpoints) =>
        endpoints.map(({ account_id: accountId, application_id: applicationId, id: endpoint }) => ({
          type: 'webhook_endpoint.resealed',
          accountId,
          applicationId,
          details: { endpoint },
        })),
    },
    at,
  );
  await resealTable(
    database,
    {
      table: 'idempotency_keys',
      key: ['account_id', 'application_id', 'user_id', 'key'],
      encrypted: ['body'],
      where: Prisma.sql`secret_of IS NOT NULL`,
      seal: createResponseSeal(appSecrets),
      name: ({ account_id }) => `The response of an idempotency key of account ${account_id}`,
    },
    at,
  );
  return count;
}
