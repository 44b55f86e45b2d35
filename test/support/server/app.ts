import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { FastifyBaseLogger, FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import type { Test } from 'tap';
import { buildApp } from '../../../src/app.js';
import { UploadWorker } from '../../../src/features/imports/uploads/upload-worker.js';
import { UsageRecorder } from '../../../src/features/usage/usage-recorder.js';
import { SigningKeys } from '../../../src/oauth/keys/signing-keys.js';
import { Passwords } from '../../../src/platform/accounts/passwords.js';
import { type Config, readConfig } from '../../../src/platform/config/config.js';
import { type Contract, loadContract } from '../../../src/platform/contract/contract.js';
import type { AppSecrets } from '../../../src/platform/crypto/keyring.js';
import type { Database, ReadDatabase } from '../../../src/platform/database/client.js';
import type { IdleLimits } from '../../../src/platform/http/connections.js';
import type { Lifecycle } from '../../../src/platform/http/lifecycle.js';
import {
  defaultRequestQueueLimits,
  type RequestQueueLimits,
} from '../../../src/platform/http/request-queue.js';
import { defaultReportLimits, type ReportLimits } from '../../../src/platform/limits/report-concurrency.js';
import type { ResolveTxt } from '../../../src/platform/network/txt-records.js';
import type { RequestObserver } from '../../../src/platform/observability/request-watch.js';
import { Conformance } from '../contract/conformance.js';
import { checkNetworkResponses } from '../contract/network-conformance.js';
import { openTestDatabase } from '../database/database.js';
import { applicationDatabase } from '../database/standbys.js';
import { cheapParameters } from '../oauth/users.js';
import { patienceMs } from '../patience.js';
import type { TestApplication } from '../records/tenant.js';
import { createTestClock, type TestClock } from './clock.js';
import { sharedRoutes } from './compiled-contract.js';

export const contract = loadContract();

/** The application on an empty database, with a clock that the test controls. */
export interface TestApp {
  readonly app: FastifyInstance;
  readonly config: Config;
  readonly database: Database;
  readonly clock: TestClock;
  readonly signingKeys: SigningKeys;
  /** Stores its counts when a test calls `flush`, or when the application is closed. */
  readonly usage: UsageRecorder;
  /** Runs the imports that pages have started. */
  readonly uploadWorker: UploadWorker;
  /** Compares responses with the contract. `inject` does so automatically. */
  readonly conformance: Conformance;
  /** `inject` without the comparison, for requests outside the contract. */
  injectUnchecked(options: InjectOptions): Promise<LightMyRequestResponse>;
  /** An access token of the client credentials grant. Default: all scopes of the application, for the API. */
  token(application: TestApplication, scope?: string, resource?: string): Promise<string>;
  /** GET with a bearer token. */
  get(url: string, token?: string, headers?: Record<string, string>): Promise<LightMyRequestResponse>;
  /** POST of a form. */
  postForm(
    url: string,
    form: Record<string, string> | string,
    headers?: Record<string, string>,
  ): Promise<LightMyRequestResponse>;
}

/** Directory of stored mail; deleted when the process exits. */
const dataDir = path.join(tmpdir(), `people-api-tests-${process.pid}`);
process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }));

export const testSecret = 'a secret for tests that is long enough';

export const testSecrets: AppSecrets = { current: testSecret };

export function testConfig(environment: Record<string, string> = {}): Config {
  return readConfig({
    BASE_URL: 'http://api.test',
    DEMO_DATA: 'false',
    APP_SECRET: testSecret,
    RATE_LIMIT_API: '0',
    RATE_LIMIT_TOKEN: '0',
    DATA_DIR: dataDir,
    ...environment,
  });
}

/**
 * Builds the application; it is closed, and its database emptied, when the test ends. Every response, to `inject` or
 * over the network, is compared with the contract, and one that differs fails the test.
 */
export async function buildTestApp(
  t: Test,
  {
    environment,
    database,
    reads: givenReads,
    contract: served = contract,
    clock = createTestClock(),
    logger = false,
    observers = [],
    recorded = true,
    // On a busy machine requests of a test wait for each other longer than those of a client should.
    reportLimits = { ...defaultReportLimits, queueMs: patienceMs },
    requestQueueLimits = { ...defaultRequestQueueLimits, waitMs: patienceMs },
    passwords = new Passwords({ parameters: cheapParameters, waitMs: patienceMs, maxWaiting: 1_000 }),
    lifecycle,
    appSecrets = testSecrets,
    idleLimits,
    importBatchSize,
    resolveTxt,
    idempotencyWaitMs,
  }: {
    environment?: Record<string, string>;
    database?: Database;
    reads?: ReadDatabase;
    contract?: Contract;
    clock?: TestClock;
    logger?: FastifyBaseLogger | false;
    observers?: readonly RequestObserver[];
    /** `false` for random requests, whose responses differ between runs. */
    recorded?: boolean;
    reportLimits?: ReportLimits;
    requestQueueLimits?: RequestQueueLimits;
    passwords?: Passwords;
    lifecycle?: Lifecycle;
    appSecrets?: AppSecrets;
    idleLimits?: IdleLimits;
    importBatchSize?: number;
    resolveTxt?: ResolveTxt;
    idempotencyWaitMs?: number;
  } = {},
): Promise<TestApp> {
  const config = testConfig(environment);
  const given = database ?? (await openTestDatabase(t));
  const { database: opened, reads } = givenReads
    ? { database: given, reads: givenReads }
    : await applicationDatabase(given);
  const usage = new UsageRecorder({ database: opened, clock });
  const signingKeys = await SigningKeys.open(opened, appSecrets, clock);
  const uploadWorker = new UploadWorker({
    ...{ database: opened, clock, contract: served },
    ...(importBatchSize !== undefined && { batchSize: importBatchSize }),
  });
  const app = await buildApp({
    config,
    contract: served,
    database: opened,
    signingKeys,
    appSecrets,
    clock,
    usage,
    uploadWorker,
    logger,
    observers,
    reportLimits,
    requestQueueLimits,
    passwords,
    // Changed contracts are bound as in production: by fastify-openapi-glue, for each application.
    ...(served === contract && { routes: await sharedRoutes(contract) }),
    ...(reads !== undefined && { reads }),
    ...(lifecycle !== undefined && { lifecycle }),
    ...(idleLimits !== undefined && { idleLimits }),
    ...(resolveTxt !== undefined && { resolveTxt }),
    idempotencyWaitMs,
  });
  const conformance = new Conformance(served, config.errorsUrl, { recorded });
  const networkFaults = checkNetworkResponses(app, conformance);
  t.teardown(async () => {
    await app.close();
    await uploadWorker.stop();
    if (networkFaults.length > 0) throw new Error(networkFaults.join('\n'));
  });
  const injectUnchecked = checkEveryResponse(app, conformance);

  const postForm: TestApp['postForm'] = (url, form, headers = {}) =>
    app.inject({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      payload: typeof form === 'string' ? form : new URLSearchParams(form).toString(),
    });

  return {
    app,
    config,
    database: given,
    clock,
    signingKeys,
    usage,
    uploadWorker,
    conformance,
    injectUnchecked,
    postForm,
    get: (url, token, headers = {}) =>
      app.inject({
        url,
        headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...headers },
      }),
    async token({ clientId, clientSecret }, scope, resource) {
      const response = await postForm('/v1/oauth/token', {
        grant_type: 'client_credentials',
        client_id: clientId,
        client_secret: clientSecret,
        ...(scope === undefined ? {} : { scope }),
        ...(resource === undefined ? {} : { resource }),
      });
      if (response.statusCode !== 200) throw new Error(`No token: ${response.body}`);
      return response.json().access_token;
    },
  };
}

function checkEveryResponse(app: FastifyInstance, conformance: Conformance): TestApp['injectUnchecked'] {
  const inject = app.inject.bind(app) as (options: InjectOptions) => Promise<LightMyRequestResponse>;
  const checked = async (given: InjectOptions | string): Promise<LightMyRequestResponse> => {
    const options = typeof given === 'string' ? { url: given } : given;
    const answer = await inject(options);
    const url = options.url ?? options.path;
    // light-my-request composes a URL that is given in parts.
    if (typeof url === 'string' && options.query === undefined) {
      // light-my-request normalizes every URL to this form.
      const { pathname, search } = new URL(url, 'http://localhost');
      const asked = {
        method: options.method ?? 'GET',
        url: `${pathname}${search}`,
        headers: options.headers,
      };
      conformance.check(asked, answer);
    }
    return answer;
  };
  app.inject = checked as FastifyInstance['inject'];
  return inject;
}
