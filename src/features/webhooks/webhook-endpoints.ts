import type { AccountId } from '../../platform/accounts/account-id.js';
import { change } from '../../platform/changes/change.js';
import { lock } from '../../platform/changes/locks.js';
import { dayMilliseconds } from '../../platform/clock.js';
import type { Database, Prisma } from '../../platform/database/client.js';
import type { WebhookEndpoint as EndpointRow } from '../../platform/database/generated/client.js';
import { randomId } from '../../platform/database/ids.js';
import type { Violation } from '../../platform/problems/rule-texts.js';
import { eventPosition, findStart } from '../events/index.js';
import { readDeliveries, type WebhookDelivery } from './webhook-deliveries.js';
import {
  type EndpointContext,
  type EndpointOwner,
  endpointDetails,
  toWebhookEndpoint,
  type WebhookEndpoint,
} from './webhook-endpoint.js';
import type { WebhookSecrets } from './webhook-secrets.js';
import { findUrlError } from './webhook-url.js';

/** Maximum number of endpoints of an application. */
export const maximumEndpoints = 20;

/** Seconds for which the previous secret signs after a rotation. */
const rotationSeconds = 86_400;

interface EndpointContent {
  readonly url: string;
  readonly description: string | null;
  readonly eventTypes: readonly string[];
}

interface InvalidUrl {
  readonly kind: 'invalid_url';
  readonly violation: Violation;
}

type CreatedEndpoint =
  /** `secret` cannot be read later. */
  | { readonly kind: 'created'; readonly endpoint: WebhookEndpoint; readonly secret: string }
  /** `access_revoked`: since the request was authenticated. */
  | {
      readonly kind: 'application_deleted' | 'access_revoked' | 'public_client' | 'limit_reached';
    }
  | InvalidUrl;

type UpdatedEndpoint =
  | { readonly kind: 'updated'; readonly endpoint: WebhookEndpoint }
  | { readonly kind: 'not_found' }
  | InvalidUrl;

type RotatedSecret =
  | { readonly kind: 'rotated'; readonly endpoint: WebhookEndpoint; readonly secret: string }
  | { readonly kind: 'not_found' };

/** Where an endpoint continues: after the event of a cursor, or after the last event of the feed. */
export type ResumePoint = { readonly after: string } | 'end';

type ResumedEndpoint =
  | { readonly kind: 'resumed'; readonly endpoint: WebhookEndpoint }
  | { readonly kind: 'not_found' | 'invalid_cursor' | 'expired' };

interface WebhookEndpointsOptions {
  readonly secrets: WebhookSecrets;
  /** Whether `http://localhost` is accepted. */
  readonly allowLocal: boolean;
  readonly eventRetentionDays: number;
}

/** The webhook endpoints of applications. Each change and its audit event are stored in one transaction. */
export class WebhookEndpoints {
  readonly #prisma: Database['prisma'];
  readonly #options: WebhookEndpointsOptions;

  constructor({ prisma }: Database, options: WebhookEndpointsOptions) {
    this.#prisma = prisma;
    this.#options = options;
  }

  /** Reads the endpoints of an application, oldest first. */
  async list({ accountId, applicationId }: EndpointOwner): Promise<WebhookEndpoint[]> {
    const rows = await this.#prisma.webhookEndpoint.findMany({
      where: { accountId, applicationId },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    });
    return rows.map(toWebhookEndpoint);
  }

  /** Reads the application's endpoint with this id; `null` if it has none with this id. */
  async get({ accountId, applicationId }: EndpointOwner, id: string): Promise<WebhookEndpoint | null> {
    const row = await this.#prisma.webhookEndpoint.findFirst({ where: { accountId, applicationId, id } });
    return row === null ? null : toWebhookEndpoint(row);
  }

  /** Reads the last attempts of an endpoint, newest first; `null` if the application has no such endpoint. */
  async deliveries(owner: EndpointOwner, id: string): Promise<WebhookDelivery[] | null> {
    if ((await this.get(owner, id)) === null) return null;
    return await readDeliveries(this.#prisma, owner.accountId, id);
  }

  /** Adds an endpoint, which gets the events from now on. */
  async create(context: EndpointContext, content: EndpointContent): Promise<CreatedEndpoint> {
    const violation = await this.#findUrlError(content.url);
    if (violation !== undefined) return { kind: 'invalid_url', violation };
    const { accountId, applicationId, generation, at } = context;
    const { secret, sealed } = await this.#options.secrets.create();
    return await change(this.#prisma, context, lock.application, async (unit, application) => {
      const { tx } = unit;
      if (application === null) return { kind: 'application_deleted' };
      if (generation !== undefined && generation !== application.generation)
        return { kind: 'access_revoked' };
      if (application.clientType !== 'confidential') return { kind: 'public_client' };
      if ((await tx.webhookEndpoint.count({ where: { accountId, applicationId } })) >= maximumEndpoints)
        return { kind: 'limit_reached' };
      const totals = await tx.accountTotals.update({ where: { accountId }, data: { hasWebhooks: true } });
      const row = await tx.webhookEndpoint.create({
        data: {
          ...{ accountId, applicationId },
          url: content.url,
          description: content.description,
          eventTypes: [...new Set(content.eventTypes)],
          id: randomId(),
          sealedSecret: sealed,
          position: totals.events,
          createdAt: at,
          updatedAt: at,
        },
      });
      await unit.record('webhook_endpoint.created', endpointDetails(row));
      return { kind: 'created', endpoint: toWebhookEndpoint(row), secret };
    });
  }

  /** Changes an endpoint. Absent members are not changed. */
  async update(
    context: EndpointContext,
    id: string,
    changes: Partial<EndpointContent>,
  ): Promise<UpdatedEndpoint> {
    if (changes.url !== undefined) {
      const violation = await this.#findUrlError(changes.url);
      if (violation !== undefined) return { kind: 'invalid_url', violation };
    }
    return await change(this.#prisma, context, lockEndpoint(id), async (unit, locked) => {
      if (locked === null) return { kind: 'not_found' };
      const row = await unit.tx.webhookEndpoint.update({
        where: keyOf(context, id),
        data: {
          ...toStored(changes),
          // Other types make a new delivery.
          ...(changes.eventTypes !== undefined && { deliveryId: null, deliveryEnd: null }),
          // Without the lease, a running attempt stores neither its delivery nor the response of the previous URL.
          ...((changes.eventTypes !== undefined || changes.url !== undefined) && { lease: null }),
          updatedAt: context.at,
        },
      });
      await unit.record('webhook_endpoint.updated', endpointDetails(row));
      return { kind: 'updated', endpoint: toWebhookEndpoint(row) };
    });
  }

  /** @returns false if the application has no such endpoint */
  async delete(context: EndpointContext, id: string): Promise<boolean> {
    return await change(this.#prisma, context, lockEndpoint(id), async (unit, locked) => {
      if (locked === null) return false;
      const row = await unit.tx.webhookEndpoint.delete({ where: keyOf(context, id) });
      await unit.record('webhook_endpoint.deleted', endpointDetails(row));
      return true;
    });
  }

  /** Replaces the secret. The previous one signs as well for a day. */
  async rotateSecret(context: EndpointContext, id: string): Promise<RotatedSecret> {
    const { secret, sealed } = await this.#options.secrets.create();
    const expiresAt = new Date(context.at.getTime() + rotationSeconds * 1000);
    return await change(this.#prisma, context, lockEndpoint(id), async (unit, locked) => {
      if (locked === null) return { kind: 'not_found' };
      const row = await unit.tx.webhookEndpoint.update({
        where: keyOf(context, id),
        data: {
          sealedSecret: sealed,
          sealedPreviousSecret: locked.sealedSecret,
          previousSecretExpiresAt: expiresAt,
          updatedAt: context.at,
        },
      });
      await unit.record('webhook_endpoint.secret_rotated', endpointDetails(row));
      return { kind: 'rotated', endpoint: toWebhookEndpoint(row), secret };
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
    const cutoff = new Date(at.getTime() - this.#options.eventRetentionDays * dayMilliseconds);
    return change(this.#prisma, context, lockEndpoint(id), async (unit, locked) => {
      if (locked === null) return { kind: 'not_found' };
      const { tx } = unit;
      const position = from === undefined ? locked.position : await findPosition(tx, accountId, from);
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
          ...{ failures: 0, failingSince: null, pausedAt: null, pauseReason: null, lease: null },
          dueAt: at,
          updatedAt: at,
        },
      });
      const endpoint = toWebhookEndpoint(row);
      const details = { ...endpointDetails(row), after: endpoint.lastEventId };
      await unit.record('webhook_endpoint.resumed', details);
      return { kind: 'resumed', endpoint };
    });
  }

  #findUrlError(url: string): Promise<Violation | undefined> {
    return findUrlError(url, { allowLocal: this.#options.allowLocal });
  }
}

type LockedEndpoint = Pick<EndpointRow, 'position' | 'sealedSecret'>;

/**
 * Locks a webhook endpoint of the application of the context.
 *
 * @returns `null` when there is none, and also when all access of the application was revoked since the request was
 *   authenticated, which was in the generation of the context
 */
function lockEndpoint(id: string) {
  return async (
    tx: Prisma.TransactionClient,
    { accountId, applicationId, generation }: EndpointContext,
  ): Promise<LockedEndpoint | null> => {
    const [row] = await tx.$queryRaw<LockedEndpoint[]>`
      SELECT position, sealed_secret AS "sealedSecret" FROM webhook_endpoints
      WHERE account_id = ${accountId} AND application_id = ${applicationId} AND id = ${id} FOR UPDATE`;
    if (row === undefined) return null;
    // After the lock, for which a revocation waits or which waits for it.
    if (generation !== undefined) {
      const where = { accountId, id: applicationId, generation };
      if ((await tx.application.count({ where })) === 0) return null;
    }
    return row;
  };
}

function keyOf({ accountId }: EndpointOwner, id: string) {
  return { accountId_id: { accountId, id } };
}

/** @returns `null` for an invalid cursor */
async function findPosition(
  tx: Prisma.TransactionClient,
  accountId: AccountId,
  from: ResumePoint,
): Promise<bigint | null> {
  if (from !== 'end') return eventPosition(accountId, from.after);
  const totals = await tx.accountTotals.findFirst({ where: { accountId }, select: { events: true } });
  return totals?.events ?? null;
}

function toStored({ url, description, eventTypes }: Partial<EndpointContent>) {
  return {
    ...(url !== undefined && { url }),
    ...(description !== undefined && { description }),
    ...(eventTypes !== undefined && { eventTypes: [...new Set(eventTypes)] }),
  };
}
