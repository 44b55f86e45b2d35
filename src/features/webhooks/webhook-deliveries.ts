import type { AccountId } from '../../platform/accounts/account-id.js';
import { change } from '../../platform/changes/change.js';
import { lock } from '../../platform/changes/locks.js';
import type { Database } from '../../platform/database/client.js';
import type { WebhookAttempt as AttemptRow } from '../../platform/database/generated/client.js';
import { eventId } from '../events/index.js';
import { keptAttempts, type StoredAttempt } from './delivery/store-outcomes.js';

/** An attempt to deliver events. */
export interface WebhookDelivery {
  /** Id of the endpoint and number of the attempt. */
  readonly id: string;
  readonly deliveryId: string;
  /** `null` for a test. */
  readonly lastEventId: string | null;
  readonly events: number;
  readonly attemptedAt: Date;
  readonly durationMs: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly response: string | null;
}

/** Reads the last attempts of an endpoint, newest first. */
export async function readDeliveries(
  prisma: Database['prisma'],
  accountId: AccountId,
  endpointId: string,
): Promise<WebhookDelivery[]> {
  const rows = await prisma.webhookAttempt.findMany({
    where: { accountId, endpointId },
    orderBy: { number: 'desc' },
    take: keptAttempts,
  });
  return rows.map(toDelivery);
}

/** Stores an attempt that is not part of the feed. */
export async function storeTest(
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

function toDelivery(row: AttemptRow): WebhookDelivery {
  const { deliveryId, events, attemptedAt, durationMs, status, error, response } = row;
  return {
    ...{ deliveryId, events, attemptedAt, durationMs, status, error, response },
    id: `${row.endpointId}_${row.number}`,
    lastEventId: row.lastPosition === null ? null : eventId(row.accountId, row.lastPosition),
  };
}
