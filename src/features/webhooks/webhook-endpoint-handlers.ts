import { challenge } from '../../oauth/authentication.js';
import { invalidToken } from '../../oauth/tokens/access-tokens.js';
import type { components } from '../../platform/contract/generated.js';
import type { Core } from '../../platform/core.js';
import type { WebhookAttempt } from '../../platform/database/generated/client.js';
import {
  type Handlers,
  type Input,
  type JsonText,
  jsonText,
  type Output,
} from '../../platform/http/binding/handlers.js';
import { abortOnDisconnect } from '../../platform/http/disconnect.js';
import { callerContext } from '../../platform/http/principal.js';
import { idempotencyProblem } from '../../platform/idempotency/idempotency-problems.js';
import type { StoredResponse } from '../../platform/idempotency/key-claim.js';
import { invalidMembers } from '../../platform/problems/invalid-request.js';
import { found, Problem, recordNotFound } from '../../platform/problems/problem.js';
import { type Violation, violation } from '../../platform/problems/rule-texts.js';
import { eventId, eventsExpired } from '../events/index.js';
import type { KeyedContext, NewSecret } from './keyed-changes.js';
import type { Webhooks } from './services.js';
import type { EndpointContext, WebhookEndpoint } from './webhook-endpoint.js';
import { maximumEndpoints } from './webhook-endpoints.js';

type Schemas = components['schemas'];

function toEndpointResource(endpoint: WebhookEndpoint): Schemas['WebhookEndpoint'] {
  return {
    id: endpoint.id,
    type: 'webhook_endpoints',
    attributes: {
      url: endpoint.url,
      description: endpoint.description,
      event_types: endpoint.eventTypes,
      status: endpoint.pausedAt === null ? 'enabled' : 'paused',
      pause_reason: endpoint.pauseReason,
      paused_at: formatTime(endpoint.pausedAt),
      failing_since: formatTime(endpoint.failingSince),
      last_event_id: endpoint.lastEventId,
      previous_secret_expires_at: formatTime(endpoint.previousSecretExpiresAt),
      created_at: endpoint.createdAt.toISOString(),
      updated_at: endpoint.updatedAt.toISOString(),
    },
  };
}

function toDeliveryResource(attempt: WebhookAttempt): Schemas['WebhookDelivery'] {
  const { accountId, endpointId, number, lastPosition } = attempt;
  return {
    id: `${endpointId}_${number}`,
    type: 'webhook_deliveries',
    attributes: {
      webhook_id: attempt.deliveryId,
      last_event_id: lastPosition === null ? null : eventId(accountId, lastPosition),
      event_count: attempt.events,
      attempted_at: attempt.attemptedAt.toISOString(),
      duration_ms: attempt.durationMs,
      response_status: attempt.status,
      response_body: attempt.response,
      error: attempt.error,
    },
  };
}

function formatTime(date: Date | null): string | null {
  return date === null ? null : date.toISOString();
}

type Operation =
  | 'listWebhookEndpoints'
  | 'createWebhookEndpoint'
  | 'getWebhookEndpoint'
  | 'updateWebhookEndpoint'
  | 'deleteWebhookEndpoint'
  | 'createWebhookEndpointSecret'
  | 'createWebhookEndpointTestDelivery'
  | 'listWebhookEndpointDeliveries'
  | 'createWebhookEndpointResumption';

/** Handlers for webhook endpoints. An application reaches only its own. */
export class WebhookEndpointHandlers implements Pick<Handlers, Operation> {
  readonly #webhooks: Webhooks;
  readonly #core: Pick<Core, 'config' | 'clock'>;

  constructor(webhooks: Webhooks, core: Pick<Core, 'config' | 'clock'>) {
    this.#webhooks = webhooks;
    this.#core = core;
  }

  async listWebhookEndpoints(input: Input<'listWebhookEndpoints'>): Promise<Output<'listWebhookEndpoints'>> {
    const endpoints = await this.#webhooks.endpoints.list(input.caller);
    const body = { data: endpoints.map(toEndpointResource), meta: { record_count: endpoints.length } };
    return { status: 200, records: endpoints.length, body };
  }

  /**
   * @throws {Problem} 400 `invalid_request`, 401 `invalid_token` when the application was deleted or its
   *   access revoked, 403 `confidential_application_required`, 409 `idempotency_key_in_use` or `quota_exceeded`,
   *   422 `idempotency_key_reused`, 429 `rate_limit_exceeded`
   */
  async createWebhookEndpoint(
    input: Input<'createWebhookEndpoint'>,
  ): Promise<Output<'createWebhookEndpoint'>> {
    const { url, description = null, event_types: eventTypes = [] } = input.body;
    const describe = (created: NewSecret) => {
      const location = `${this.#core.config.baseUrl}/v1/webhook_endpoints/${created.endpoint.id}`;
      return { status: 201, headers: { location, ...noStore }, body: withSecret(created) };
    };
    const context = this.#once(input, { operation: 'createWebhookEndpoint', payload: input.body, describe });
    const created = await this.#wait(input, () =>
      this.#webhooks.endpoints.create(context, { url, description, eventTypes }),
    );
    switch (created.kind) {
      case 'invalid_url':
        throw invalidUrl(created.violation);
      case 'application_deleted':
      case 'access_revoked':
        throw challenge(invalidToken());
      case 'public_client':
        throw new Problem(
          'confidential_application_required',
          'Only a confidential application can have webhook endpoints.',
        );
      case 'limit_reached':
        throw new Problem(
          'quota_exceeded',
          `The application has reached its limit of ${maximumEndpoints} webhook endpoints. Delete one before you create another.`,
        );
      case 'created':
        return asStored(describe(created));
      case 'completed':
        return asStored(created.response);
      default:
        throw idempotencyProblem(created);
    }
  }

  /** @throws {Problem} 404 `not_found` */
  async getWebhookEndpoint(input: Input<'getWebhookEndpoint'>): Promise<Output<'getWebhookEndpoint'>> {
    const endpoint = await this.#webhooks.endpoints.get(input.caller, input.params.webhook_endpoint_id);
    return { status: 200, records: 1, body: { data: toEndpointResource(found(endpoint)) } };
  }

  /** @throws {Problem} 400 `invalid_request`, 404 `not_found`, 429 `rate_limit_exceeded` */
  async updateWebhookEndpoint(
    input: Input<'updateWebhookEndpoint'>,
  ): Promise<Output<'updateWebhookEndpoint'>> {
    const { event_types: eventTypes, ...changes } = input.body;
    const context = this.#context(input);
    const id = input.params.webhook_endpoint_id;
    const updated = await this.#wait(input, () =>
      this.#webhooks.endpoints.update(context, id, { ...changes, ...(eventTypes && { eventTypes }) }),
    );
    if (updated !== null && 'violation' in updated) throw invalidUrl(updated.violation);
    return { status: 200, records: 1, body: { data: toEndpointResource(found(updated)) } };
  }

  /** @throws {Problem} 404 `not_found` */
  async deleteWebhookEndpoint(
    input: Input<'deleteWebhookEndpoint'>,
  ): Promise<Output<'deleteWebhookEndpoint'>> {
    const { endpoints } = this.#webhooks;
    if (!(await endpoints.delete(this.#context(input), input.params.webhook_endpoint_id)))
      throw recordNotFound();
    return { status: 204, records: 1 };
  }

  /**
   * @throws {Problem} 404 `not_found`, 409 `idempotency_key_in_use`, 422 `idempotency_key_reused`,
   *   429 `rate_limit_exceeded`
   */
  async createWebhookEndpointSecret(
    input: Input<'createWebhookEndpointSecret'>,
  ): Promise<Output<'createWebhookEndpointSecret'>> {
    const { params } = input;
    const describe = (created: NewSecret) => ({ status: 201, headers: noStore, body: withSecret(created) });
    const context = this.#once(input, {
      operation: 'createWebhookEndpointSecret',
      payload: params,
      describe,
    });
    const rotated = found(await this.#webhooks.endpoints.rotateSecret(context, params.webhook_endpoint_id));
    if (!('kind' in rotated)) return asStored(describe(rotated));
    if (rotated.kind === 'completed') return asStored(rotated.response);
    throw idempotencyProblem(rotated);
  }

  /** @throws {Problem} 404 `not_found`, 429 `rate_limit_exceeded` */
  async createWebhookEndpointTestDelivery(
    input: Input<'createWebhookEndpointTestDelivery'>,
  ): Promise<Output<'createWebhookEndpointTestDelivery'>> {
    const context = this.#context(input);
    const id = input.params.webhook_endpoint_id;
    const attempt = await this.#wait(input, () => this.#webhooks.sendTest(context, id));
    return { status: 201, records: 1, body: { data: toDeliveryResource(found(attempt)) } };
  }

  /** @throws {Problem} 404 `not_found` */
  async listWebhookEndpointDeliveries(
    input: Input<'listWebhookEndpointDeliveries'>,
  ): Promise<Output<'listWebhookEndpointDeliveries'>> {
    const { endpoints } = this.#webhooks;
    const attempts = found(await endpoints.deliveries(input.caller, input.params.webhook_endpoint_id));
    const body = { data: attempts.map(toDeliveryResource), meta: { record_count: attempts.length } };
    return { status: 200, records: attempts.length, body };
  }

  /** @throws {Problem} 400 `invalid_request`, 404 `not_found`, 410 `events_expired` */
  async createWebhookEndpointResumption(
    input: Input<'createWebhookEndpointResumption'>,
  ): Promise<Output<'createWebhookEndpointResumption'>> {
    const { after } = input.body;
    const resumed = await this.#webhooks.pauses.resume(
      this.#context(input),
      input.params.webhook_endpoint_id,
      after === undefined ? undefined : { after },
    );
    switch (resumed.kind) {
      case 'not_found':
        throw recordNotFound();
      case 'invalid_cursor':
        throw invalidMembers([{ path: ['after'], violation: violation('account_cursor') }]);
      case 'expired':
        throw eventsExpired('The next events are');
      case 'resumed':
        return { status: 201, records: 1, body: { data: toEndpointResource(resumed.endpoint) } };
    }
  }

  #wait<Result>(
    { caller, reply }: Pick<Input<Operation>, 'caller' | 'reply'>,
    work: () => Promise<Result>,
  ): Promise<Result> {
    return this.#webhooks.calls.run(caller.accountId, abortOnDisconnect(reply.raw).signal, work);
  }

  /** The context of a request that creates a secret, once for its idempotency key. */
  #once(
    input: Pick<Input<Operation>, 'caller' | 'request'>,
    request: Omit<NonNullable<KeyedContext['once']>, 'key'>,
  ): KeyedContext {
    const key = input.request.headers['idempotency-key'];
    const { userId } = input.caller;
    return {
      ...this.#context(input),
      userId,
      once: typeof key === 'string' ? { ...request, key } : undefined,
    };
  }

  #context(input: Pick<Input<Operation>, 'caller' | 'request'>): EndpointContext {
    return { ...callerContext(input, this.#core.clock()), generation: input.caller.generation };
  }
}

const noStore = { 'cache-control': 'no-store' };

type SecretDocument = Schemas['WebhookEndpointSecretDocument'];

/** A new secret as text, because the same bytes are stored for repeated requests. */
function withSecret({ endpoint, secret }: NewSecret) {
  return jsonText<SecretDocument>({ data: toEndpointResource(endpoint), meta: { secret } });
}

/** The response to a request, or to one that repeats it. */
function asStored({ headers, body }: Pick<StoredResponse, 'headers' | 'body'>) {
  return {
    status: 201 as const,
    records: 1,
    headers: { ...headers },
    body: body as JsonText<SecretDocument>,
  };
}

function invalidUrl(violation: Violation): Problem {
  return invalidMembers([{ path: ['url'], violation }]);
}
