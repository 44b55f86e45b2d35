import { openTestDatabase } from '../support/database/database.js';
import { createApplication, createTenant, type TestApplication } from '../support/records/tenant.js';
import { buildTestApp, type TestApp } from '../support/server/app.js';
import { stopSystemClock } from '../support/server/clock.js';
import t, { type Test } from '../support/tap.js';

const database = await openTestDatabase(t);
stopSystemClock(t);
const home = '192.0.2.1';
const elsewhere = '198.51.100.7';

async function prepare(t: Test, limit: number, clientType: 'confidential' | 'public' = 'confidential') {
  const environment = { RATE_LIMIT_TOKEN: String(limit), RATE_LIMIT_FAILURES: '0' };
  const api = await buildTestApp(t, { database, environment });
  const { accountId } = await createTenant(database);
  const application = await createApplication(database, accountId, { clientType });
  return { api, accountId, application };
}

/** Posts a form from an address. */
function post(api: TestApp, remoteAddress: string, form: Record<string, string>, url = '/v1/oauth/token') {
  return api.app.inject({
    method: 'POST',
    url,
    remoteAddress,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(form).toString(),
  });
}

const good = ({ clientId, clientSecret }: TestApplication) => ({
  grant_type: 'client_credentials',
  client_id: clientId,
  client_secret: clientSecret,
});

t.test(
  'a client has one limit for both endpoints from every address, and other clients have theirs',
  async (t) => {
    const { api, accountId, application } = await prepare(t, 2);
    const first = await post(api, home, good(application));
    t.equal(first.statusCode, 200);
    t.equal(first.headers['ratelimit-policy'], '"default";q=2;w=60');
    t.match(first.headers.ratelimit, /^"default";r=1;t=\d+$/);
    const { client_id, client_secret } = good(application);
    const revocation = { client_id, client_secret, token: 'x' };
    const second = await post(api, elsewhere, revocation, '/v1/oauth/revoke');
    t.equal(second.statusCode, 200);
    t.match(second.headers.ratelimit, /^"default";r=0;t=\d+$/);
    for (const address of [home, elsewhere]) {
      const { statusCode, headers, ...response } = await post(api, address, good(application));
      t.equal(statusCode, 429);
      t.match(response.json(), { error: 'temporarily_unavailable', code: 'rate_limit_exceeded' });
      t.match(headers['retry-after'], /^[1-9]\d*$/);
    }
    const other = await createApplication(database, accountId);
    t.equal((await post(api, home, good(other))).statusCode, 200);
  },
);

t.test('exactly as many of 20 concurrent exchanges succeed as the limit allows', async (t) => {
  const { api, application } = await prepare(t, 4);
  const responses = await Promise.all(Array.from({ length: 20 }, () => post(api, home, good(application))));
  t.equal(responses.filter(({ statusCode }) => statusCode === 200).length, 4);
  t.equal(responses.filter(({ statusCode }) => statusCode === 429).length, 16);
});

t.test(
  'a request without authentication does not count for the client that it names, even from its address',
  async (t) => {
    const { api, application } = await prepare(t, 3);
    const { client_id } = good(application);
    const attempts = [
      { ...good(application), client_secret: 'wrong' },
      { client_id, grant_type: 'client_credentials' },
      { client_id, grant_type: 'refresh_token', refresh_token: 'x' },
      { client_id, grant_type: 'unknown' },
      { client_id },
    ];
    for (const address of [home, elsewhere]) {
      for (const form of attempts) t.not((await post(api, address, form)).statusCode, 200);
    }
    const response = await post(api, home, good(application));
    t.equal(response.statusCode, 200);
    t.match(response.headers.ratelimit, /^"default";r=2;/);
  },
);

t.test('rejected requests of unknown clients are counted by address, whatever the reason', async (t) => {
  const { api } = await prepare(t, 4);
  const forms: Record<string, string>[] = [
    {},
    { grant_type: 'unknown' },
    { grant_type: 'client_credentials', client_id: 'nobody', client_secret: 'x' },
    { grant_type: 'client_credentials', client_id: 'somebody', client_secret: 'x' },
  ];
  for (const [index, form] of forms.entries()) {
    const { statusCode, headers } = await post(api, '192.0.2.99', form);
    t.ok(statusCode === 400 || statusCode === 401);
    t.match(headers.ratelimit, `"default";r=${3 - index};`);
  }
  for (const form of forms) t.equal((await post(api, '192.0.2.99', form)).statusCode, 429);
  t.equal((await post(api, '192.0.2.100', {})).statusCode, 400, 'another address is not limited');
});

t.test('a public client is limited at one address without being limited at another', async (t) => {
  const { api, application } = await prepare(t, 2, 'public');
  const form = { client_id: application.clientId, grant_type: 'refresh_token', refresh_token: 'x' };
  for (let call = 0; call < 2; call += 1) t.equal((await post(api, elsewhere, form)).statusCode, 401);
  t.equal((await post(api, elsewhere, form)).statusCode, 429);
  const { statusCode, headers } = await post(api, home, form);
  t.equal(statusCode, 401);
  t.match(headers.ratelimit, /^"default";r=1;/);
});

t.test('without a limit nothing is counted and no header is sent', async (t) => {
  const { api, application } = await prepare(t, 0);
  const before = await database.prisma.requestCount.count();
  const { headers } = await post(api, home, good(application));
  t.notOk('ratelimit' in headers);
  t.notOk('ratelimit' in (await post(api, home, {})).headers);
  t.equal(await database.prisma.requestCount.count(), before);
});
