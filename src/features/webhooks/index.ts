import type { Core } from '../../platform/core.js';
import { WebhookSender } from './delivery/webhook-sender.js';
import { EndpointPauses } from './endpoint-pauses.js';
import { WebhookEndpointHandlers } from './webhook-endpoint-handlers.js';
import { WebhookCallLimiter, WebhookEndpoints } from './webhook-endpoints.js';
import { WebhookSecrets } from './webhook-secrets.js';
import { WebhookTests } from './webhook-tests.js';

export { pauseEndpoints } from './endpoint-pauses.js';
export type { WebhookPagesDependencies } from './pages/requested.js';
export { describeEndpoints, webhookPages } from './pages/routes.js';
export type { WebhookEndpoint } from './webhook-endpoint.js';

/** Creates the services for webhook endpoints. `http://localhost` is accepted outside production. */
export function createWebhooks(core: Core) {
  const { config, database, appSecrets, idempotency } = core;
  const secrets = new WebhookSecrets(appSecrets);
  const sender = new WebhookSender({ allowLocal: !config.production });
  const webhooks = {
    endpoints: new WebhookEndpoints(database, { secrets, idempotency, config }),
    pauses: new EndpointPauses(database, config),
    tests: new WebhookTests(core, secrets, sender),
    calls: new WebhookCallLimiter(),
  };
  return { webhooks, handlers: new WebhookEndpointHandlers(webhooks, core) };
}
