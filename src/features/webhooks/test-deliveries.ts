import { change } from '../../platform/changes/change.js';
import { lock } from '../../platform/changes/locks.js';
import { accessTo } from '../../platform/contract/attribute-access.js';
import type { Core } from '../../platform/core.js';
import type { Database } from '../../platform/database/client.js';
import type { WebhookAttempt } from '../../platform/database/generated/client.js';
import { randomId } from '../../platform/database/ids.js';
import { writeEventList } from '../events/index.js';
import { keptAttempts, type StoredAttempt } from './delivery/outcome.js';
import type { WebhookSender } from './delivery/webhook-sender.js';
import type { EndpointContext } from './webhook-endpoint.js';
import type { WebhookSecrets } from './webhook-secrets.js';

interface Dependencies extends Pick<Core, 'database' | 'clock' | 'config'> {
  readonly secrets: WebhookSecrets;
  readonly sender: WebhookSender;
}

/**
 * Sends a test event to an endpoint, paused or not.
 *
 * @returns the attempt; `null` if the application has no such endpoint
 */
export async function sendTest(
  { database, clock, config, secrets, sender }: Dependencies,
  { accountId, applicationId, userId = null }: EndpointContext,
  id: string,
): Promise<WebhookAttempt | null> {
  const { prisma } = database;
  const endpoint = await prisma.webhookEndpoint.findFirst({ where: { accountId, applicationId, id } });
  if (endpoint === null) return null;
  const application = await prisma.application.findFirst({ where: { accountId, id: applicationId } });
  const attemptedAt = clock();
  const event = {
    id: `evt_test_${randomId()}`,
    type: 'webhook_endpoint.test',
    occurred_at: attemptedAt.toISOString(),
    actor: {
      type: userId === null ? 'application' : 'user',
      client_id: application?.installedClientId ?? application?.clientId ?? null,
      user_id: userId,
    },
    resource: { id, type: 'webhook_endpoints', attributes: null },
    changed: [],
  };
  const { position } = endpoint;
  const page = {
    ...{ accountId, documents: JSON.stringify(event), position, hasMore: false, parameters: {} },
    access: accessTo(application?.readableAttributes.join(' ') ?? ''),
  };
  const deliveryId = `msg_${randomId()}`;
  const { durationMs, status, error, response } = await sender.send({
    url: endpoint.url,
    secrets: await secrets.open(endpoint, attemptedAt),
    id: deliveryId,
    body: writeEventList(config.baseUrl, page),
    at: attemptedAt,
  });
  const attempt = { deliveryId, attemptedAt, durationMs, status, error, response, events: 1 };
  return await storeAttempt(
    prisma,
    { accountId, endpointId: id },
    { ...attempt, firstPosition: null, lastPosition: null },
  );
}

/** Stores an attempt that is not part of the feed. */
async function storeAttempt(
  prisma: Database['prisma'],
  endpoint: { accountId: EndpointContext['accountId']; endpointId: string },
  attempt: StoredAttempt,
): Promise<WebhookAttempt | null> {
  const { accountId, endpointId } = endpoint;
  const context = { accountId, at: attempt.attemptedAt };
  return await change(prisma, context, lock.nothing, async ({ tx }) => {
    const [row] = await tx.$queryRaw<{ attempts: bigint }[]>`
      UPDATE webhook_endpoints SET attempts = attempts + 1
      WHERE account_id = ${accountId} AND id = ${endpointId} RETURNING attempts`;
    if (row === undefined) return null;
    const key = { ...endpoint, slot: Number(row.attempts % BigInt(keptAttempts)) };
    const data = { number: row.attempts, ...attempt };
    return await tx.webhookAttempt.upsert({
      where: { accountId_endpointId_slot: key },
      create: { ...key, ...data },
      update: data,
    });
  });
}
