import {
  WebhookWorker,
  type WebhookWorkerOptions,
} from '../../../src/features/webhooks/delivery/webhook-worker.js';
import { insertEmployees } from '../records/insert-employees.js';
import { sendJson } from '../records/send-json.js';
import { createTenant, makeEmployees } from '../records/tenant.js';
import { type TestApp, testSecrets } from '../server/app.js';
import type { Test } from '../tap.js';
import { startReceiver } from './receiver.js';

/** An account whose application may manage webhook endpoints. */
export async function webhookScene(api: TestApp) {
  const tenant = await createTenant(api.database);
  // A new one each time, because tests move the clock.
  const freshToken = () => api.token(tenant.application);
  const post = async (path: string, body?: object) =>
    sendJson(api, { url: `/v1/webhook_endpoints${path}`, token: await freshToken(), ...(body && { body }) });
  let employees = 0;
  return {
    ...tenant,
    token: await freshToken(),
    post,
    get: async (path = '') => api.get(`/v1/webhook_endpoints${path}`, await freshToken()),
    /** Creates an endpoint. */
    async create(body: object): Promise<{ id: string; secret: string }> {
      const response = await post('', body);
      if (response.statusCode !== 201) throw new Error(response.body);
      const { data, meta } = response.json();
      return { id: data.id, secret: meta.secret };
    },
    /** The attributes of an endpoint. */
    async state(id: string) {
      return (await api.get(`/v1/webhook_endpoints/${id}`, await freshToken())).json().data.attributes;
    },
    /** Adds employees, each of which is an event. Returns their ids. */
    async addEmployees(count: number): Promise<string[]> {
      const added = makeEmployees(employees + count).slice(employees);
      employees += count;
      return [...(await insertEmployees(api.database.prisma, tenant.accountId, added))];
    },
  };
}

/** A worker on the database and the clock of a test. */
export function createWorker(
  t: Test,
  api: TestApp,
  options: Pick<WebhookWorkerOptions, 'onPaused' | 'observer' | 'maximumOfAccount'> & {
    eventRetentionDays?: number;
  } = {},
) {
  const { eventRetentionDays = 30, ...rest } = options;
  const worker = new WebhookWorker({
    database: api.database,
    clock: api.clock,
    appSecrets: testSecrets,
    config: { baseUrl: api.config.baseUrl, production: false, eventRetentionDays },
    ...rest,
  });
  t.teardown(() => worker.stop());
  return {
    worker,
    /** Delivers everything that is due. */
    async run(): Promise<void> {
      await worker.poll();
      await worker.idle();
    },
  };
}

/**
 * An account whose application may manage webhook endpoints, a receiver, and a worker. The clock has the current time, which the
 * reference library compares with that of a signature. Workers serve all accounts: the endpoints end with the test.
 */
export async function deliveryScene(
  t: Test,
  api: TestApp,
  options: Pick<WebhookWorkerOptions, 'maximumOfAccount'> = {},
) {
  api.clock.advanceSeconds((Date.now() - api.clock().getTime()) / 1000);
  t.teardown(() => api.database.prisma.webhookEndpoint.deleteMany());
  const receiver = await startReceiver(t);
  return { api, clock: api.clock, receiver, ...(await webhookScene(api)), ...createWorker(t, api, options) };
}
