import type { IncomingMessage, ServerResponse } from 'node:http';
import { hash } from '@node-rs/argon2';
import type { Test } from 'tap';
import { demoAccounts } from '../../../src/demo-data/accounts.js';
import { fillDemoData } from '../../../src/demo-data/fill.js';
import { buildTestApp, type TestApp } from './app.js';
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

/** The service on a port of its own, with the demonstration data. */
export interface DemoServer {
  readonly api: TestApp;
  readonly baseUrl: string;
  /** Every request over the network so far, in the order of the responses. */
  readonly exchanges: readonly Exchange[];
  /** The demonstration's confidential application that may do everything. */
  readonly backend: DemoApplication;
}

type DemoApplication = { readonly id: string; readonly clientId: string; readonly clientSecret: string };

/** Starts the service with its demonstration data; it is stopped when the test ends. */
export async function startDemoServer(
  t: Test,
  environment: Record<string, string> = {},
): Promise<DemoServer> {
  const port = await freePort();
  const baseUrl = `http://localhost:${port}`;
  const api = await buildTestApp(t, {
    environment: { BASE_URL: baseUrl, RATE_LIMIT_FAILURES: '0', ...environment },
    clock: createTestClock(new Date()),
  });
  const hashPassword = (password: string) => hash(password, { memoryCost: 64, timeCost: 1, parallelism: 1 });
  await fillDemoData(api.database, { hashPassword, now: api.clock() });
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
