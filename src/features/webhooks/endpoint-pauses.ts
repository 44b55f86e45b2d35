import { change, type Unit } from '../../platform/changes/change.js';
import { dayMilliseconds } from '../../platform/clock.js';
import type { Config } from '../../platform/config/config.js';
import type { Database, Prisma } from '../../platform/database/client.js';
import { eventPosition, findStart } from '../events/index.js';
import {
  type EndpointContext,
  type EndpointOwner,
  keyOf,
  lockEndpoint,
  type PauseReason,
  recorded,
  type WebhookEndpoint,
} from './webhook-endpoint.js';

/** Where an endpoint continues: after the event of a cursor, or after the last event of the feed. */
type ResumePoint = { readonly after: string } | 'end';

type ResumedEndpoint =
  | { readonly kind: 'resumed'; readonly endpoint: WebhookEndpoint }
  | { readonly kind: 'not_found' | 'invalid_cursor' | 'expired' };

/** Pauses and resumes webhook endpoints. Each change and its audit event are stored in one transaction. */
export class EndpointPauses {
  readonly #prisma: Database['prisma'];
  readonly #config: Pick<Config, 'eventRetentionDays'>;

  constructor({ prisma }: Pick<Database, 'prisma'>, config: Pick<Config, 'eventRetentionDays'>) {
    this.#prisma = prisma;
    this.#config = config;
  }

  /**
   * Stops sending events to an endpoint until it is resumed. One that is already paused is not changed.
   *
   * @returns false if the application has no such endpoint
   */
  async pause(context: EndpointContext, id: string): Promise<boolean> {
    return await change(this.#prisma, context, lockEndpoint(id), async (unit, locked) => {
      if (locked === null) return false;
      if (locked.pausedAt !== null) return true;
      const data = pausedData('manual', context.at);
      const row = await unit.tx.webhookEndpoint.update({ where: keyOf(context, id), data });
      await recorded(unit, 'paused', row);
      return true;
    });
  }

  /**
   * Continues to send events, also to an endpoint that is not paused.
   *
   * @param from absent: where the endpoint stopped
   */
  resume(context: EndpointContext, id: string, from?: ResumePoint): Promise<ResumedEndpoint> {
    const { accountId, at } = context;
    // Earlier events are no longer kept.
    const cutoff = new Date(at.getTime() - this.#config.eventRetentionDays * dayMilliseconds);
    return change(this.#prisma, context, lockEndpoint(id), async (unit, locked) => {
      if (locked === null) return { kind: 'not_found' };
      const { tx } = unit;
      const position = from === undefined ? locked.position : await findPosition(tx, context, from);
      if (position === null) return { kind: 'invalid_cursor' };
      const start = await findStart(tx, accountId, { start: { after: position }, cutoff });
      if (start.kind === 'not_found') return { kind: 'invalid_cursor' };
      if (start.kind === 'expired') return { kind: 'expired' };
      const row = await tx.webhookEndpoint.update({
        where: keyOf(context, id),
        data: {
          position,
          // A moved endpoint gets other events, and so another delivery.
          ...(from !== undefined && { deliveryId: null, deliveryEnd: null }),
          failures: 0,
          failingSince: null,
          pausedAt: null,
          pauseReason: null,
          lease: null,
          dueAt: at,
          updatedAt: at,
        },
      });
      return { kind: 'resumed', endpoint: await recorded(unit, 'resumed', row) };
    });
  }
}

/**
 * Pauses the webhook endpoints of an application whose access is revoked. Without its lease, a process that has claimed an
 * endpoint no longer starts an attempt.
 *
 * @returns number of endpoints that were not paused before
 */
export async function pauseEndpoints({ tx, context }: Unit<EndpointContext>): Promise<number> {
  const { accountId, applicationId, at } = context;
  const locked = await tx.$queryRaw<{ id: string }[]>`
    SELECT id FROM webhook_endpoints
    WHERE account_id = ${accountId} AND application_id = ${applicationId} AND paused_at IS NULL
    ORDER BY id FOR UPDATE`;
  const { count } = await tx.webhookEndpoint.updateMany({
    where: { accountId, id: { in: locked.map(({ id }) => id) } },
    data: pausedData('revoked', at),
  });
  return count;
}

/** Without the lease, a running attempt stores neither its delivery nor the response. */
function pausedData(pauseReason: PauseReason, at: Date) {
  return { pausedAt: at, pauseReason, dueAt: null, lease: null, updatedAt: at };
}

/** @returns `null` for an invalid cursor */
async function findPosition(
  tx: Prisma.TransactionClient,
  { accountId }: EndpointOwner,
  from: ResumePoint,
): Promise<bigint | null> {
  if (from !== 'end') return eventPosition(accountId, from.after);
  const totals = await tx.accountTotals.findFirst({ where: { accountId }, select: { events: true } });
  return totals?.events ?? null;
}
