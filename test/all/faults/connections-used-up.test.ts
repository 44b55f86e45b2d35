import type { LightMyRequestResponse } from 'fastify';
import pg from 'pg';
import { migrate } from '../../../src/platform/database/migrate.js';
import { openDatabase } from '../../../src/platform/database/open-database.js';
import { allAccounts, withScope } from '../../../src/platform/database/scope.js';
import { testServer } from '../../support/database/database.js';
import { createDatabaseUser, type DatabaseUser } from '../../support/database/database-user.js';
import { administrativeUrlOf } from '../../support/database/direct-url.js';
import { createTenant, makeEmployees } from '../../support/records/tenant.js';
import { buildTestApp } from '../../support/server/app.js';
import t, { type Test } from '../../support/tap.js';

const onPostgresql = { skip: testServer === undefined && 'the embedded database has one connection' };

/** Connection limit of the user. */
const connectionLimit = 4;

/** An application on a database whose user has a low connection limit. */
async function setUp(t: Test) {
  // Unlike a superuser, this user cannot use reserved connections.
  const user = await createDatabaseUser(t, testServer ?? '', `CONNECTION LIMIT ${connectionLimit}`);
  const database = await openDatabase({
    ...user.options,
    poolSize: connectionLimit,
    connectionTimeoutMs: 1_000,
  });
  t.teardown(() => database.close());
  await migrate(database);
  const api = await buildTestApp(t, { database });
  const tenant = await withScope(allAccounts, () => createTenant(database, { employees: makeEmployees(3) }));
  return { user, api, tenant, token: await api.token(tenant.application) };
}

/** Closes the existing connections and opens as many as the limit allows. Returns a function that closes these. */
async function takeConnections(t: Test, { name, options, asAdministrator }: DatabaseUser) {
  const taken: pg.Client[] = [];
  while (taken.length < connectionLimit) {
    const ours = taken.map((client) => (client as unknown as { processID: number }).processID);
    await asAdministrator(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE usename = '${name}' AND pid <> ALL ('{${ours}}')`,
    );
    const client = new pg.Client({ connectionString: administrativeUrlOf(options.databaseUrl) });
    // Closed connections count until their sessions have exited.
    const connected = await client.connect().then(
      () => true,
      () => false,
    );
    if (connected) taken.push(client);
  }
  const giveBack = async () => {
    await Promise.all(taken.splice(0).map((client) => client.end()));
  };
  t.teardown(giveBack);
  return giveBack;
}

function isUnavailable(t: Test, response: LightMyRequestResponse, what: string): void {
  t.equal(response.statusCode, 503, what);
  t.equal(response.json().code, 'service_unavailable');
  t.match(response.headers['retry-after'], /^[1-9]\d*$/);
}

t.test(
  'responds 503 while other clients hold all connections, and recovers after that',
  onPostgresql,
  async (t) => {
    const { user, api, tenant, token } = await setUp(t);
    const { clientId, clientSecret } = tenant.application;
    const client = { client_id: clientId, client_secret: clientSecret };
    const revoked = await api.token(tenant.application);
    t.equal((await api.get('/v1/employees', revoked)).statusCode, 200, 'it was valid');
    t.equal((await api.postForm('/v1/oauth/revoke', { ...client, token: revoked })).statusCode, 200);
    const giveBack = await takeConnections(t, user);

    const reads = Array.from({ length: 20 }, () => api.get('/v1/employees', token));
    for (const response of await Promise.all(reads)) isUnavailable(t, response, 'a read');
    const form = { ...client, grant_type: 'client_credentials' };
    isUnavailable(t, await api.postForm('/v1/oauth/token', form), 'a token');
    isUnavailable(t, await api.get('/v1/employees', revoked), 'a revoked token');
    isUnavailable(t, await api.get('/readyz'), 'it reports that it is not ready');
    t.equal((await api.get('/healthz')).statusCode, 200, 'the process is alive');

    await giveBack();
    let response = await api.get('/v1/employees', token);
    while (response.statusCode === 503) response = await api.get('/v1/employees', token);
    t.equal(response.statusCode, 200, 'it recovers without a restart');
    t.equal((await api.get('/readyz')).statusCode, 200);
    t.equal((await api.get('/v1/employees', revoked)).statusCode, 401, 'revoked access stays revoked');
  },
);
