import type { AccountId } from '../../platform/accounts/account-id.js';
import { change } from '../../platform/changes/change.js';
import { lock } from '../../platform/changes/locks.js';
import type { Clock } from '../../platform/clock.js';
import type { Database } from '../../platform/database/client.js';
import { randomId } from '../../platform/database/ids.js';
import { type EventDocument, toEventList } from '../events/index.js';
import type { StoredAttempt } from './delivery/outcome.js';
import { keptAttempts } from './delivery/store-outcomes.js';
import type { WebhookSender } from './delivery/webhook-sender.js';
import { toDelivery, type WebhookDelivery } from './webhook-deliveries.js';
import type { EndpointContext } from './webhook-endpoint.js';
import type { WebhookSecrets } from './webhook-secrets.js';

/** Sends a test event to an endpoint, paused or not. */
export class WebhookTests {
  readonly #database: Database;
  readonly #options: { clock: Clock; baseUrl: string; sender: WebhookSender; secrets: WebhookSecrets };

  constructor(
    database: Database,
    options: { clock: Clock; baseUrl: string; sender: WebhookSender; secrets: WebhookSecrets },
  ) {
    this.#database = database;
    this.#options = options;
  }

  /** @returns the attempt; `null` if the application has no such endpoint */
  async send(
    { accountId, applicationId, userId = null }: EndpointContext,
    id: string,
  ): Promise<WebhookDelivery | null> {
    const { clock, baseUrl, sender, secrets } = this.#options;
    const { prisma } = this.#database;
    const endpoint = await prisma.webhookEndpoint.findFirst({ where: { accountId, applicationId, id } });
    if (endpoint === null) return null;
    const application = await prisma.application.findFirst({ where: { accountId, id: applicationId } });
    const attemptedAt = clock();
    const event: EventDocument = {
      id: `evt_test_${randomId()}`,
      type: 'webhook_endpoint.test',
      occurred_at: attemptedAt.toISOString(),
      actor: {
        type: userId === null ? 'application' : 'user',
        client_id: application?.clientId ?? null,
        user_id: userId,
      },
      resource: { id, type: 'webhook_endpoints', attributes: null },
      changed: [],
    };
    const page = { events: [event], position: endpoint.position, hasMore: false, parameters: {} };
    const deliveryId = `msg_${randomId()}`;
    const attempt = await sender.send({
      url: endpoint.url,
      secrets: await secrets.open(endpoint, attemptedAt),
      id: deliveryId,
      body: Buffer.from(JSON.stringify(toEventList(baseUrl, accountId, page))),
      at: attemptedAt,
    });
    const { durationMs, status, error, response } = attempt;
    return await storeTest(
      this.#database,
      { accountId, endpointId: id },
      {
        ...{ deliveryId, attemptedAt, durationMs, status, error, response, events: 1 },
        ...{ firstPosition: null, lastPosition: null },
      },
    );
  }
}

/** Stores an attempt that is not part of the feed. */
async function storeTest(
  { prisma }: Pick<Database, 'prisma'>,
  { accountId, endpointId }: { accountId: AccountId; endpointId: string },
  attempt: StoredAttempt,
): Promise<WebhookDelivery | null> {
  const context = { accountId, at: attempt.attemptedAt };
  return await change(prisma, context, lock.nothing, async ({ tx }) => {
    const [row] = await tx.$queryRaw<{ attempts: bigint }[]>`
      UPDATE webhook_endpoints SET attempts = attempts + 1
      WHERE account_id = ${accountId} AND id = ${endpointId} RETURNING attempts`;
    if (row === undefined) return null;
    const slot = Number(row.attempts % BigInt(keptAttempts));
    const data = { number: row.attempts, ...attempt };
    const key = { accountId, endpointId, slot };
    const stored = await tx.webhookAttempt.upsert({
      where: { accountId_endpointId_slot: key },
      create: { ...key, ...data },
      update: data,
    });
    return toDelivery(stored);
  });
}
