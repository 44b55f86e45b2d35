import type { AccountId } from '../../platform/accounts/account-id.js';
import { change, type Unit } from '../../platform/changes/change.js';
import { lock } from '../../platform/changes/locks.js';
import { secondsAfter, secondsBefore } from '../../platform/clock.js';
import type { Config } from '../../platform/config/config.js';
import type { Database } from '../../platform/database/client.js';
import type { WebhookAttempt } from '../../platform/database/generated/client.js';
import { randomId } from '../../platform/database/ids.js';
import type { Idempotency, IdempotentOutcome } from '../../platform/idempotency/idempotency.js';
import { deleteResponses } from '../../platform/idempotency/key-claim.js';
import { consumeNonce } from '../../platform/idempotency/submitted-forms.js';
import { ConcurrencyLimit } from '../../platform/limits/concurrency-limit.js';
import { findUrlError } from '../../platform/network/receiver-url.js';
import { retryLater } from '../../platform/problems/problem.js';
import type { Violation } from '../../platform/problems/rule-texts.js';
import { keptAttempts } from './delivery/outcome.js';
import { KeyedChanges, type KeyedContext, type NewSecret } from './keyed-changes.js';
import {
  type EndpointContext,
  type EndpointFormContext,
  type EndpointOwner,
  keyOf,
  lockEndpoint,
  recorded,
  toWebhookEndpoint,
  type WebhookEndpoint,
} from './webhook-endpoint.js';
import type { WebhookSecrets } from './webhook-secrets.js';

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
  | ({ readonly kind: 'created' } & NewSecret)
  /** `access_revoked`: since the request was authenticated. */
  | { readonly kind: 'application_deleted' | 'access_revoked' | 'public_client' | 'limit_reached' }
  | InvalidUrl;

/** Requests of an account that wait for servers of partners concurrently. */
const maximumCalls = 5;

/** Seconds for which further requests are queued. */
const queueSeconds = 15;

/**
 * Limits the requests of an account, to the API and to pages, that wait for a name or a response of a webhook endpoint, which can
 * take seconds. They are not in the queue of all requests: an account whose endpoints do not respond would fill it.
 */
export class WebhookCallLimiter {
  readonly #limit = new ConcurrencyLimit(maximumCalls);

  /**
   * Waits for a slot of the account, and runs the work in it.
   *
   * @param signal aborts when the client disconnects
   * @throws {Problem} 429 `rate_limit_exceeded` when no slot is free in time
   */
  run<Result>(accountId: AccountId, signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    const detail = `An account has a limit of ${maximumCalls} concurrent requests that wait for webhook endpoints.`;
    const rejection = () => retryLater('rate_limit_exceeded', detail, queueSeconds);
    return this.#limit.run(accountId, { signal, waitMs: queueSeconds * 1000, rejection }, work);
  }
}

/** The webhook endpoints of applications. Each change and its audit event are stored in one transaction. */
export class WebhookEndpoints {
  readonly #prisma: Database['prisma'];
  readonly #secrets: WebhookSecrets;
  readonly #keyed: KeyedChanges;
  readonly #config: Pick<Config, 'production'>;

  /** Outside production, `http://localhost` is accepted. */
  constructor(
    database: Pick<Database, 'prisma'>,
    {
      secrets,
      idempotency,
      config,
    }: {
      secrets: WebhookSecrets;
      idempotency: Idempotency;
      config: Pick<Config, 'production'>;
    },
  ) {
    this.#prisma = database.prisma;
    this.#secrets = secrets;
    this.#keyed = new KeyedChanges(database, idempotency, secrets);
    this.#config = config;
  }

  /** Reads the endpoints of an application, oldest first. */
  async list({ accountId, applicationId }: EndpointOwner): Promise<WebhookEndpoint[]> {
    const rows = await this.#prisma.webhookEndpoint.findMany({
      where: { accountId, applicationId },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    });
    return rows.map(toWebhookEndpoint);
  }

  /** Reads an endpoint; `null` if the application has none with this id. */
  async get({ accountId, applicationId }: EndpointOwner, id: string): Promise<WebhookEndpoint | null> {
    const row = await this.#prisma.webhookEndpoint.findFirst({ where: { accountId, applicationId, id } });
    return row === null ? null : toWebhookEndpoint(row);
  }

  /** Reads the last attempts of an endpoint, newest first; `null` if the application has no such endpoint. */
  async deliveries(owner: EndpointOwner, id: string): Promise<WebhookAttempt[] | null> {
    if ((await this.get(owner, id)) === null) return null;
    return await this.#prisma.webhookAttempt.findMany({
      where: { accountId: owner.accountId, endpointId: id },
      orderBy: { number: 'desc' },
      take: keptAttempts,
    });
  }

  /** Adds an endpoint, which gets the events from now on. `repeated`: the same form has already added one. */
  create(
    context: EndpointFormContext,
    content: EndpointContent,
  ): Promise<CreatedEndpoint | { readonly kind: 'repeated' }>;
  create(context: KeyedContext, content: EndpointContent): Promise<CreatedEndpoint | IdempotentOutcome>;
  create(context: EndpointContext, content: EndpointContent): Promise<CreatedEndpoint>;
  async create(
    context: EndpointContext | EndpointFormContext | KeyedContext,
    content: EndpointContent,
  ): Promise<CreatedEndpoint | IdempotentOutcome | { readonly kind: 'repeated' }> {
    const violation = await this.#findUrlError(content.url);
    if (violation !== undefined) return { kind: 'invalid_url', violation };
    const { accountId, applicationId, generation, at } = context;
    const { secret, sealed } = await this.#secrets.create();
    return await this.#keyed.run(
      context,
      lock.application,
      async (unit, application): Promise<CreatedEndpoint | { readonly kind: 'repeated' }> => {
        const { tx } = unit;
        if (application === null) return { kind: 'application_deleted' };
        if (generation !== undefined && generation !== application.generation)
          return { kind: 'access_revoked' };
        if (application.clientType !== 'confidential') return { kind: 'public_client' };
        if ((await tx.webhookEndpoint.count({ where: { accountId, applicationId } })) >= maximumEndpoints)
          return { kind: 'limit_reached' };
        const id = randomId();
        if (await isRepeated(unit, id)) return { kind: 'repeated' };
        const totals = await tx.accountTotals.update({ where: { accountId }, data: { hasWebhooks: true } });
        const row = await tx.webhookEndpoint.create({
          data: {
            accountId,
            applicationId,
            url: content.url,
            description: content.description,
            eventTypes: [...new Set(content.eventTypes)],
            id,
            sealedSecret: sealed,
            position: totals.events,
            createdAt: at,
            updatedAt: at,
          },
        });
        return { kind: 'created', endpoint: await recorded(unit, 'created', row), secret };
      },
    );
  }

  /** Changes an endpoint. Absent members are not changed. Returns `null` if the application has no such endpoint. */
  async update(
    context: EndpointContext,
    id: string,
    { url, description, eventTypes }: Partial<EndpointContent>,
  ): Promise<WebhookEndpoint | InvalidUrl | null> {
    const violation = url === undefined ? undefined : await this.#findUrlError(url);
    if (violation !== undefined) return { kind: 'invalid_url', violation };
    return await change(this.#prisma, context, lockEndpoint(id), async (unit, locked) => {
      if (locked === null) return null;
      const row = await unit.tx.webhookEndpoint.update({
        where: keyOf(context, id),
        data: {
          ...(url !== undefined && { url }),
          ...(description !== undefined && { description }),
          // Other types make a new delivery.
          ...(eventTypes !== undefined && {
            eventTypes: [...new Set(eventTypes)],
            deliveryId: null,
            deliveryEnd: null,
          }),
          // Without the lease, a running attempt stores neither its delivery nor the response of the previous URL.
          ...((eventTypes !== undefined || url !== undefined) && { lease: null }),
          updatedAt: context.at,
        },
      });
      return await recorded(unit, 'updated', row);
    });
  }

  /** @returns false if the application has no such endpoint */
  async delete(context: EndpointContext, id: string): Promise<boolean> {
    return await change(this.#prisma, context, lockEndpoint(id), async (unit, locked) => {
      if (locked === null) return false;
      await deleteResponses(unit.tx, context, { secretOf: id });
      await recorded(unit, 'deleted', await unit.tx.webhookEndpoint.delete({ where: keyOf(context, id) }));
      return true;
    });
  }

  /**
   * Replaces the secret. The previous one signs as well for a day.
   *
   * @returns `null` if the application has no such endpoint; `repeated` if the same form has already replaced it
   */
  rotateSecret(context: EndpointFormContext, id: string): Promise<NewSecret | 'repeated' | null>;
  rotateSecret(context: KeyedContext, id: string): Promise<NewSecret | IdempotentOutcome | null>;
  rotateSecret(context: EndpointContext, id: string): Promise<NewSecret | null>;
  async rotateSecret(
    context: EndpointContext | EndpointFormContext | KeyedContext,
    id: string,
  ): Promise<NewSecret | IdempotentOutcome | 'repeated' | null> {
    const { secret, sealed } = await this.#secrets.create();
    return await this.#keyed.run(
      context,
      lockEndpoint(id),
      async (unit, locked): Promise<NewSecret | 'repeated' | null> => {
        if (locked === null) return null;
        if (await isRepeated(unit, id)) return 'repeated';
        // The secret before the current one is no longer valid.
        const { previousSecretExpiresAt: expiresAt } = locked;
        if (expiresAt !== null) {
          const createdBefore = secondsBefore(expiresAt, rotationSeconds);
          await deleteResponses(unit.tx, context, { secretOf: id, createdBefore });
        }
        const row = await unit.tx.webhookEndpoint.update({
          where: keyOf(context, id),
          data: {
            sealedSecret: sealed,
            sealedPreviousSecret: locked.sealedSecret,
            previousSecretExpiresAt: secondsAfter(context.at, rotationSeconds),
            updatedAt: context.at,
          },
        });
        return { endpoint: await recorded(unit, 'secret_rotated', row), secret };
      },
    );
  }

  #findUrlError(url: string): Promise<Violation | undefined> {
    return findUrlError(url, { allowLocal: !this.#config.production });
  }
}

/** Whether the form of a change was submitted before. A change without a form is never repeated. */
async function isRepeated(
  { tx, context }: Unit<EndpointContext | EndpointFormContext>,
  id: string,
): Promise<boolean> {
  return 'nonce' in context && (await consumeNonce({ tx, context }, context.nonce, id)) !== null;
}
