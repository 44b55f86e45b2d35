import type { Clock } from '../../platform/clock.js';
import type { AppSecrets } from '../../platform/crypto/keyring.js';
import type { Database } from '../../platform/database/client.js';
import { WebhookSender } from './delivery/webhook-sender.js';
import { WebhookWorker, type WebhookWorkerOptions } from './delivery/webhook-worker.js';
import { WebhookCallLimiter } from './webhook-call-limiter.js';
import { WebhookEndpoints } from './webhook-endpoints.js';
import { WebhookSecrets } from './webhook-secrets.js';
import { WebhookTests } from './webhook-tests.js';

export interface WebhookDependencies {
  readonly database: Database;
  readonly clock: Clock;
  readonly appSecrets: AppSecrets;
  readonly config: {
    readonly baseUrl: string;
    readonly production: boolean;
    readonly eventRetentionDays: number;
  };
}

/** The services for webhook endpoints. */
export interface WebhookServices {
  readonly endpoints: WebhookEndpoints;
  readonly tests: WebhookTests;
  readonly calls: WebhookCallLimiter;
}

/** Creates the services for webhook endpoints. `http://localhost` is accepted outside production. */
export function composeWebhooks({
  database,
  clock,
  appSecrets,
  config,
}: WebhookDependencies): WebhookServices {
  const { baseUrl, production, eventRetentionDays } = config;
  const allowLocal = !production;
  const secrets = new WebhookSecrets(appSecrets);
  return {
    endpoints: new WebhookEndpoints(database, { secrets, allowLocal, eventRetentionDays }),
    tests: new WebhookTests(database, { clock, baseUrl, secrets, sender: new WebhookSender({ allowLocal }) }),
    calls: new WebhookCallLimiter(),
  };
}

/** Creates the worker that sends events to webhook endpoints. */
export function createWebhookWorker({
  database,
  clock,
  appSecrets,
  config,
  ...rest
}: WebhookDependencies & Pick<WebhookWorkerOptions, 'logger' | 'onPaused' | 'observer'>): WebhookWorker {
  const { baseUrl, production, eventRetentionDays } = config;
  const secrets = new WebhookSecrets(appSecrets);
  const sender = new WebhookSender({ allowLocal: !production });
  return new WebhookWorker({ database, clock, baseUrl, eventRetentionDays, secrets, sender, ...rest });
}
