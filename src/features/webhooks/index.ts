import type { Core } from '../../platform/core.js';
import { createWebhookServices } from './services.js';
import { WebhookEndpointHandlers } from './webhook-endpoint-handlers.js';

export { pauseEndpoints } from './endpoint-pauses.js';
export type { WebhookPagesDependencies } from './pages/requested.js';
export { describeEndpoints, webhookPages } from './pages/routes.js';
export type { WebhookEndpoint } from './webhook-endpoint.js';

export function createWebhooks(core: Core) {
  const webhooks = createWebhookServices(core);
  return { webhooks, handlers: new WebhookEndpointHandlers(webhooks, core) };
}
