import type { IncomingMessage, ServerResponse } from 'node:http';
import { hash } from '@node-rs/argon2';
import type { Test } from 'tap';
import { demoAccounts } from '../../../src/features/demo-data/accounts.js';
import { fillDemoData } from '../../../src/features/demo-data/fill.js';
import { WebhookSecrets } from '../../../src/features/webhooks/webhook-secrets.js';
import { buildTestApp, contract, type TestApp, testSecrets } from './app.js';
import { createTestClock } from './clock.js';
import { freePort } from './free-port.js';

/** One request that reached the server, and its response. */
export interface Exchange {
  readonly method: string;
  /** Request target with its query. */
  readonly url: string;
  readonly userAgent: string;
  readonly status: number;
}

/** The service on its own port, with the demo data. */
export interface DemoServer {
  readonly api: TestApp;
  readonly baseUrl: string;
  /** Every request over the network so far, in the order of the responses. */
  readonly exchanges: readonly Exchange[];
  /** The confidential application of the demo data, with every scope. */
  readonly backend: DemoApplication;
}

/** Gives the applications of the first demo account every scope, and its confidential one the webhook endpoint `demo`. */
async function grantEverything(api: TestApp): Promise<void> {
  const [acme] = demoAccounts;
  const accountId = acme?.id ?? '';
  const applicationId = acme?.applications.find(({ clientId }) => clientId === 'demobackend')?.id ?? '';
  const { prisma } = api.database;
  await prisma.application.updateMany({
    where: { accountId },
    data: { scopes: Object.keys(contract.scopes) },
  });
  await createDemoEndpoint(api, applicationId);
}

/** Creates the webhook endpoint `demo` of an application of the first demo account, unless it exists. */
export async function createDemoEndpoint({ database, clock }: TestApp, applicationId: string): Promise<void> {
  const { prisma } = database;
  const accountId = demoAccounts[0]?.id ?? '';
  const { sealed } = await new WebhookSecrets(testSecrets).create();
  await prisma.webhookEndpoint.createMany({
    skipDuplicates: true,
    data: {
      ...{ accountId, applicationId, id: 'demo', url: 'http://localhost:1/events', sealedSecret: sealed },
      ...{ position: 0, createdAt: clock(), updatedAt: clock() },
    },
  });
}

type DemoApplication = { readonly id: string; readonly clientId: string; readonly clientSecret: string };

/** Starts the service with the demo data, and stops it when the test ends. */
export async function startDemoServer(t: Test): Promise<DemoServer> {
  const port = await freePort();
  const baseUrl = `http://localhost:${port}`;
  const api = await buildTestApp(t, {
    environment: { BASE_URL: baseUrl, RATE_LIMIT_FAILURES: '0' },
    clock: createTestClock(new Date()),
  });
  const hashPassword = (password: string) => hash(password, { memoryCost: 64, timeCost: 1, parallelism: 1 });
  await fillDemoData(api.database, { baseUrl, hashPassword, now: api.clock() });
  await grantEverything(api);
  const exchanges: Exchange[] = [];
  api.app.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url = '', headers } = request;
    const userAgent = headers['user-agent'] ?? '';
    response.on('finish', () => exchanges.push({ method, url, userAgent, status: response.statusCode }));
  });
  await api.app.listen({ host: '127.0.0.1', port });
  const [acme] = demoAccounts;
  const backend = acme?.applications.find(({ clientId }) => clientId === 'demobackend');
  return { api, baseUrl, exchanges, backend: backend as DemoApplication };
}
