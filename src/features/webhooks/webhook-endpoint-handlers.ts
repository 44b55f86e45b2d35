import { challenge } from '../../oauth/authentication.js';
import { invalidToken } from '../../oauth/tokens/access-tokens.js';
import type { Clock } from '../../platform/clock.js';
import type { components } from '../../platform/contract/generated.js';
import { auditOrigin } from '../../platform/http/audit-origin.js';
import type { Handlers, Input, Output } from '../../platform/http/binding/handlers.js';
import { abortOnDisconnect } from '../../platform/http/disconnect.js';
import { invalidMembers } from '../../platform/problems/invalid-request.js';
import { Problem, recordNotFound } from '../../platform/problems/problem.js';
import { type Violation, violation } from '../../platform/problems/rule-texts.js';
import { eventsExpired } from '../events/index.js';
import type { WebhookCallLimiter } from './webhook-call-limiter.js';
import type { WebhookDelivery } from './webhook-deliveries.js';
import type { EndpointContext, WebhookEndpoint } from './webhook-endpoint.js';
import { maximumEndpoints, type WebhookEndpoints } from './webhook-endpoints.js';
import type { WebhookTests } from './webhook-tests.js';

type Schemas = components['schemas'];

/** A webhook endpoint as a resource of the contract. */
function toEndpointResource(endpoint: WebhookEndpoint): Schemas['WebhookEndpoint'] {
  return {
    id: endpoint.id,
    type: 'webhook_endpoints',
    attributes: {
      url: endpoint.url,
      description: endpoint.description,
      event_types: [...endpoint.eventTypes],
      status: endpoint.status,
      pause_reason: endpoint.pauseReason,
      paused_at: timeOf(endpoint.pausedAt),
      failing_since: timeOf(endpoint.failingSince),
      last_event_id: endpoint.lastEventId,
      previous_secret_expires_at: timeOf(endpoint.previousSecretExpiresAt),
      created_at: endpoint.createdAt.toISOString(),
      updated_at: endpoint.updatedAt.toISOString(),
    },
  };
}

/** An attempt to deliver events as a resource of the contract. */
function toDeliveryResource(delivery: WebhookDelivery): Schemas['WebhookDelivery'] {
  return {
    id: delivery.id,
    type: 'webhook_deliveries',
    attributes: {
      webhook_id: delivery.deliveryId,
      last_event_id: delivery.lastEventId,
      event_count: delivery.events,
      attempted_at: delivery.attemptedAt.toISOString(),
      duration_ms: delivery.durationMs,
      response_status: delivery.status,
      response_body: delivery.response,
      error: delivery.error,
    },
  };
}

function timeOf(date: Date | null): string | null {
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
  readonly #endpoints: WebhookEndpoints;
  readonly #tests: WebhookTests;
  readonly #baseUrl: string;
  readonly #clock: Clock;
  readonly #calls: WebhookCallLimiter;

  constructor({
    endpoints,
    tests,
    calls,
    baseUrl,
    clock,
  }: {
    endpoints: WebhookEndpoints;
    tests: WebhookTests;
    calls: WebhookCallLimiter;
    baseUrl: string;
    clock: Clock;
  }) {
    this.#endpoints = endpoints;
    this.#tests = tests;
    this.#calls = calls;
    this.#baseUrl = baseUrl;
    this.#clock = clock;
  }

  async listWebhookEndpoints({
    caller,
  }: Input<'listWebhookEndpoints'>): Promise<Output<'listWebhookEndpoints'>> {
    const endpoints = await this.#endpoints.list(caller);
    const body = { data: endpoints.map(toEndpointResource), meta: { record_count: endpoints.length } };
    return { status: 200, records: endpoints.length, body };
  }

  /**
   * @throws {Problem} 400 `invalid_request`, 401 `invalid_token` when the application was deleted or its
   *   access revoked, 403 `confidential_application_required`, 409 `quota_exceeded`, 429 `rate_limit_exceeded`
   */
  async createWebhookEndpoint(
    input: Input<'createWebhookEndpoint'>,
  ): Promise<Output<'createWebhookEndpoint'>> {
    const { url, description = null, event_types: eventTypes = [] } = input.body;
    const context = this.#context(input);
    const content = { url, description, eventTypes };
    const created = await this.#wait(input, () => this.#endpoints.create(context, content));
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
        return {
          status: 201,
          records: 1,
          headers: {
            location: `${this.#baseUrl}/v1/webhook_endpoints/${created.endpoint.id}`,
            'cache-control': 'no-store',
          },
          body: withSecret(created),
        };
    }
  }

  /** @throws {Problem} 404 `not_found` */
  async getWebhookEndpoint({
    caller,
    params,
  }: Input<'getWebhookEndpoint'>): Promise<Output<'getWebhookEndpoint'>> {
    const endpoint = await this.#endpoints.get(caller, params.webhook_endpoint_id);
    if (endpoint === null) throw recordNotFound();
    return { status: 200, records: 1, body: { data: toEndpointResource(endpoint) } };
  }

  /** @throws {Problem} 400 `invalid_request`, 404 `not_found`, 429 `rate_limit_exceeded` */
  async updateWebhookEndpoint(
    input: Input<'updateWebhookEndpoint'>,
  ): Promise<Output<'updateWebhookEndpoint'>> {
    const { url, description, event_types: eventTypes } = input.body;
    const changes = {
      ...(url !== undefined && { url }),
      ...(description !== undefined && { description }),
      ...(eventTypes !== undefined && { eventTypes }),
    };
    const context = this.#context(input);
    const id = input.params.webhook_endpoint_id;
    const updated = await this.#wait(input, () => this.#endpoints.update(context, id, changes));
    if (updated.kind === 'invalid_url') throw invalidUrl(updated.violation);
    if (updated.kind === 'not_found') throw recordNotFound();
    return { status: 200, records: 1, body: { data: toEndpointResource(updated.endpoint) } };
  }

  /** @throws {Problem} 404 `not_found` */
  async deleteWebhookEndpoint({
    caller,
    params,
    request,
  }: Input<'deleteWebhookEndpoint'>): Promise<Output<'deleteWebhookEndpoint'>> {
    const context = this.#context({ caller, request });
    if (!(await this.#endpoints.delete(context, params.webhook_endpoint_id))) throw recordNotFound();
    return { status: 204, records: 1 };
  }

  /** @throws {Problem} 404 `not_found` */
  async createWebhookEndpointSecret({
    caller,
    params,
    request,
  }: Input<'createWebhookEndpointSecret'>): Promise<Output<'createWebhookEndpointSecret'>> {
    const context = this.#context({ caller, request });
    const rotated = await this.#endpoints.rotateSecret(context, params.webhook_endpoint_id);
    if (rotated.kind === 'not_found') throw recordNotFound();
    return { status: 201, records: 1, headers: { 'cache-control': 'no-store' }, body: withSecret(rotated) };
  }

  /** @throws {Problem} 404 `not_found`, 429 `rate_limit_exceeded` */
  async createWebhookEndpointTestDelivery(
    input: Input<'createWebhookEndpointTestDelivery'>,
  ): Promise<Output<'createWebhookEndpointTestDelivery'>> {
    const context = this.#context(input);
    const id = input.params.webhook_endpoint_id;
    const delivery = await this.#wait(input, () => this.#tests.send(context, id));
    if (delivery === null) throw recordNotFound();
    return { status: 201, records: 1, body: { data: toDeliveryResource(delivery) } };
  }

  /** @throws {Problem} 404 `not_found` */
  async listWebhookEndpointDeliveries({
    caller,
    params: { webhook_endpoint_id: id },
  }: Input<'listWebhookEndpointDeliveries'>): Promise<Output<'listWebhookEndpointDeliveries'>> {
    const deliveries = await this.#endpoints.deliveries(caller, id);
    if (deliveries === null) throw recordNotFound();
    const body = { data: deliveries.map(toDeliveryResource), meta: { record_count: deliveries.length } };
    return { status: 200, records: deliveries.length, body };
  }

  /** @throws {Problem} 400 `invalid_request`, 404 `not_found`, 410 `events_expired` */
  async createWebhookEndpointResumption({
    caller,
    params,
    body,
    request,
  }: Input<'createWebhookEndpointResumption'>): Promise<Output<'createWebhookEndpointResumption'>> {
    const context = this.#context({ caller, request });
    const from = body.after === undefined ? undefined : { after: body.after };
    const resumed = await this.#endpoints.resume(context, params.webhook_endpoint_id, from);
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
    return this.#calls.run(caller.accountId, { signal: abortOnDisconnect(reply.raw).signal, work });
  }

  #context({ caller, request }: Pick<Input<Operation>, 'caller' | 'request'>): EndpointContext {
    const { accountId, applicationId, userId, generation } = caller;
    return { accountId, applicationId, userId, generation, origin: auditOrigin(request), at: this.#clock() };
  }
}

function withSecret({ endpoint, secret }: { endpoint: WebhookEndpoint; secret: string }) {
  return { data: toEndpointResource(endpoint), meta: { secret } };
}

function invalidUrl(violation: Violation): Problem {
  return invalidMembers([{ path: ['url'], violation }]);
}
