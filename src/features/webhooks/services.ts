import type { Core } from '../../platform/core.js';
import { WebhookSender } from './delivery/webhook-sender.js';
import { EndpointPauses } from './endpoint-pauses.js';
import { sendTest } from './test-deliveries.js';
import type { EndpointContext } from './webhook-endpoint.js';
import { WebhookCallLimiter, WebhookEndpoints } from './webhook-endpoints.js';
import { WebhookSecrets } from './webhook-secrets.js';

export type Webhooks = ReturnType<typeof createWebhookServices>;

/** `http://localhost` is accepted outside production. */
export function createWebhookServices(core: Core) {
  const { config, database, appSecrets, idempotency } = core;
  const secrets = new WebhookSecrets(appSecrets);
  const sender = new WebhookSender({ allowLocal: !config.production });
  return {
    endpoints: new WebhookEndpoints(database, { secrets, idempotency, config }),
    pauses: new EndpointPauses(database, config),
    sendTest: (context: EndpointContext, id: string) => sendTest({ ...core, secrets, sender }, context, id),
    calls: new WebhookCallLimiter(),
  };
}
