import type { Config } from '../../platform/config/config.js';
import type { Core } from '../../platform/core.js';
import { WebhookSender } from './delivery/webhook-sender.js';
import { WebhookWorker, type WebhookWorkerOptions } from './delivery/webhook-worker.js';
import { WebhookCallLimiter } from './webhook-call-limiter.js';
import { WebhookEndpointHandlers } from './webhook-endpoint-handlers.js';
import { WebhookEndpoints } from './webhook-endpoints.js';
import { WebhookSecrets } from './webhook-secrets.js';
import { WebhookTests } from './webhook-tests.js';

export { endpointsInWords } from './pages/list-page.js';
export { type WebhookPagesDependencies, webhookPages } from './pages/routes.js';
export { pauseEndpoints } from './pause-endpoints.js';
export type { WebhookEndpoint } from './webhook-endpoint.js';

/** Creates the services for webhook endpoints. `http://localhost` is accepted outside production. */
export function createWebhooks({ config, database, clock, appSecrets }: Core) {
  const { baseUrl, production, eventRetentionDays } = config;
  const allowLocal = !production;
  const secrets = new WebhookSecrets(appSecrets);
  const sender = new WebhookSender({ allowLocal });
  const webhooks = {
    endpoints: new WebhookEndpoints(database, { secrets, allowLocal, eventRetentionDays }),
    tests: new WebhookTests(database, { clock, baseUrl, secrets, sender }),
    calls: new WebhookCallLimiter(),
  };
  return { webhooks, handlers: new WebhookEndpointHandlers({ ...webhooks, baseUrl, clock }) };
}

/** Creates the worker that sends events to webhook endpoints. */
export function createWebhookWorker({
  database,
  clock,
  appSecrets,
  config,
  ...rest
}: Pick<Core, 'database' | 'clock' | 'appSecrets'> & {
  config: Pick<Config, 'baseUrl' | 'production' | 'eventRetentionDays'>;
} & Pick<WebhookWorkerOptions, 'logger' | 'onPaused' | 'observer'>): WebhookWorker {
  const { baseUrl, production, eventRetentionDays } = config;
  const secrets = new WebhookSecrets(appSecrets);
  const sender = new WebhookSender({ allowLocal: !production });
  return new WebhookWorker({ database, clock, baseUrl, eventRetentionDays, secrets, sender, ...rest });
}
