import type { components } from '../../platform/contract/generated.js';
import type { WebhookDelivery } from './webhook-deliveries.js';
import type { WebhookEndpoint } from './webhook-endpoint.js';

type Schemas = components['schemas'];

/** A webhook endpoint as a resource of the contract. */
export function toEndpointResource(endpoint: WebhookEndpoint): Schemas['WebhookEndpoint'] {
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
export function toDeliveryResource(delivery: WebhookDelivery): Schemas['WebhookDelivery'] {
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
