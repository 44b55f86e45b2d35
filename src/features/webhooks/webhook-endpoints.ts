import { lockApplication } from '../../oauth/clients/lock-application.js';
import { dayMilliseconds } from '../../platform/clock.js';
import type { Database } from '../../platform/database/client.js';
import { randomId } from '../../platform/database/ids.js';
import type { Violation } from '../../platform/problems/rule-texts.js';
import {
  changeEndpoint,
  type EndpointContext,
  type EndpointOwner,
  type ResumedEndpoint,
  type ResumePoint,
  recordEndpointEvent,
  resumeEndpoint,
} from './change-endpoint.js';
import { readDeliveries, type WebhookDelivery } from './webhook-deliveries.js';
import { toWebhookEndpoint, type WebhookEndpoint } from './webhook-endpoint.js';
import type { WebhookSecrets } from './webhook-secrets.js';
import { findUrlError } from './webhook-url.js';

/** Maximum number of endpoints of an application. */
export const maximumEndpoints = 20;

/** Seconds for which the previous secret signs after a rotation. */
const rotationSeconds = 86_400;

export interface EndpointContent {
  readonly url: string;
  readonly description: string | null;
  readonly eventTypes: readonly string[];
}

interface InvalidUrl {
  readonly kind: 'invalid_url';
  readonly violation: Violation;
}

export type CreatedEndpoint =
  /** `secret` cannot be read later. */
  | { readonly kind: 'created'; readonly endpoint: WebhookEndpoint; readonly secret: string }
  /** `access_revoked`: since the request was authenticated. */
  | {
      readonly kind: 'application_deleted' | 'access_revoked' | 'public_client' | 'quota_exceeded';
    }
  | InvalidUrl;

export type UpdatedEndpoint =
  | { readonly kind: 'updated'; readonly endpoint: WebhookEndpoint }
  | { readonly kind: 'unknown' }
  | InvalidUrl;

export type RotatedSecret =
  | { readonly kind: 'rotated'; readonly endpoint: WebhookEndpoint; readonly secret: string }
  | { readonly kind: 'unknown' };

export interface WebhookEndpointsOptions {
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
    return await this.#prisma.$transaction(async (tx): Promise<CreatedEndpoint> => {
      const application = await lockApplication(tx, accountId, applicationId);
      if (application === null) return { kind: 'application_deleted' };
      if (generation !== undefined && generation !== application.generation)
        return { kind: 'access_revoked' };
      if (application.clientType !== 'confidential') return { kind: 'public_client' };
      if ((await tx.webhookEndpoint.count({ where: { accountId, applicationId } })) >= maximumEndpoints)
        return { kind: 'quota_exceeded' };
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
      await recordEndpointEvent(tx, 'webhook_endpoint.created', context, row);
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
    return await changeEndpoint(this.#prisma, context, id, async (tx, where) => {
      const row = await tx.webhookEndpoint.update({
        where,
        data: {
          ...toStored(changes),
          // Other types make a new delivery.
          ...(changes.eventTypes !== undefined && { deliveryId: null, deliveryEnd: null }),
          // Without the lease, a running attempt stores neither its delivery nor the response of the previous URL.
          ...((changes.eventTypes !== undefined || changes.url !== undefined) && { lease: null }),
          updatedAt: context.at,
        },
      });
      await recordEndpointEvent(tx, 'webhook_endpoint.updated', context, row);
      return { kind: 'updated', endpoint: toWebhookEndpoint(row) };
    });
  }

  /** @returns false if the application has no such endpoint */
  async delete(context: EndpointContext, id: string): Promise<boolean> {
    const outcome = await changeEndpoint(this.#prisma, context, id, async (tx, where) => {
      const { url } = await tx.webhookEndpoint.delete({ where });
      await recordEndpointEvent(tx, 'webhook_endpoint.deleted', context, { id, url });
      return { kind: 'deleted' };
    });
    return outcome.kind === 'deleted';
  }

  /** Replaces the secret. The previous one signs as well for a day. */
  async rotateSecret(context: EndpointContext, id: string): Promise<RotatedSecret> {
    const { secret, sealed } = await this.#options.secrets.create();
    const expiresAt = new Date(context.at.getTime() + rotationSeconds * 1000);
    return await changeEndpoint(this.#prisma, context, id, async (tx, where) => {
      const { sealedSecret: previous } = await tx.webhookEndpoint.findFirstOrThrow({
        where: where.accountId_id,
      });
      const row = await tx.webhookEndpoint.update({
        where,
        data: {
          sealedSecret: sealed,
          sealedPreviousSecret: previous,
          previousSecretExpiresAt: expiresAt,
          updatedAt: context.at,
        },
      });
      await recordEndpointEvent(tx, 'webhook_endpoint.secret_rotated', context, row);
      return { kind: 'rotated', endpoint: toWebhookEndpoint(row), secret };
    });
  }

  /**
   * Continues to send events, also to an endpoint that is not paused.
   *
   * @param from absent: where the endpoint stopped
   */
  resume(context: EndpointContext, id: string, from?: ResumePoint): Promise<ResumedEndpoint> {
    const cutoff = new Date(context.at.getTime() - this.#options.eventRetentionDays * dayMilliseconds);
    return resumeEndpoint(this.#prisma, context, id, { from, cutoff });
  }

  #findUrlError(url: string): Promise<Violation | undefined> {
    return findUrlError(url, { allowLocal: this.#options.allowLocal });
  }
}

function toStored({ url, description, eventTypes }: Partial<EndpointContent>) {
  return {
    ...(url !== undefined && { url }),
    ...(description !== undefined && { description }),
    ...(eventTypes !== undefined && { eventTypes: [...new Set(eventTypes)] }),
  };
}
