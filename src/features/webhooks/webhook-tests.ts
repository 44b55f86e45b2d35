import type { Clock } from '../../platform/clock.js';
import type { Database } from '../../platform/database/client.js';
import { randomId } from '../../platform/database/ids.js';
import { type EventDocument, toEventList } from '../events/index.js';
import type { WebhookSender } from './delivery/webhook-sender.js';
import { storeTest, type WebhookDelivery } from './webhook-deliveries.js';
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
