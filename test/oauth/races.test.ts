import { randomUUID } from 'node:crypto';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { AccessTokens } from '../../src/oauth/tokens/access-tokens.js';
import { systemClock } from '../../src/platform/clock.js';
import { openDatabase } from '../../src/platform/database/open-database.js';
import { createTestDatabase, openSharedTestDatabase, testServer } from '../support/database/database.js';
import { query } from '../support/database/query.js';
import { useKeys } from '../support/oauth/client-keys.js';
import { createSigner, dpopClient } from '../support/oauth/dpop.js';
import { createScene, grantCode, grantTokens, refresh } from '../support/oauth/users.js';
import { startServerProcess } from '../support/processes/server-process.js';
import { createTenant } from '../support/records/tenant.js';
import { buildTestApp, type TestApp } from '../support/server/app.js';
import t, { type Test } from '../support/tap.js';

interface Reply {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** One of two servers on one database. */
interface Server {
  post(url: string, form: Record<string, string>): Promise<Reply>;
  get(url: string, authorization: Record<string, string>): Promise<Reply>;
}

interface Fleet {
  /** The application in this process, for the steps of a browser. */
  readonly api: TestApp;
  readonly servers: readonly [Server, Server];
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

function overNetwork(base: string): Server {
  const read = async (response: Response): Promise<Reply> => ({
    status: response.status,
    body: (await response.json()) as Record<string, unknown>,
  });
  return {
    post: async (url, form) =>
      read(await fetch(`${base}${url}`, { method: 'POST', body: new URLSearchParams(form) })),
    get: async (url, headers) => read(await fetch(`${base}${url}`, { headers })),
  };
}

function withinProcess(api: TestApp): Server {
  const read = (response: { statusCode: number; json(): Record<string, unknown> }): Reply => ({
    status: response.statusCode,
    body: response.json(),
  });
  return {
    post: async (url, form) => read(await api.postForm(url, form)),
    get: async (url, headers) => read(await api.app.inject({ url, headers })),
  };
}

/** Two processes on PostgreSQL; the embedded database serves one process, which then has two applications. */
async function startFleet(t: Test): Promise<Fleet> {
  // On a busy machine, seconds may pass between two of many concurrent requests.
  const environment = { RATE_LIMIT_FAILURES: '0', REPLAY_LEEWAY: '300' };
  const { database, options } = await openSharedTestDatabase(t);
  // The processes use the system clock.
  const clock = Object.assign(() => new Date(), { advanceSeconds: () => {} });
  const api = await buildTestApp(t, { database, clock, environment });
  const { databaseUrl } = options;
  if (databaseUrl === undefined) {
    const other = await buildTestApp(t, { database, clock, environment });
    return { api, servers: [withinProcess(api), withinProcess(other)] };
  }
  const [one, other] = await Promise.all([
    startServerProcess(t, { databaseUrl, environment }),
    startServerProcess(t, { databaseUrl, environment }),
  ]);
  return { api, servers: [overNetwork(one.url), overNetwork(other.url)] };
}

const fleet = await startFleet(t);
const { api, servers } = fleet;
const { database } = api;
const real = testServer !== undefined;

/** Sends many concurrent requests to the two servers in turn. */
function atOnce(count: number, request: (server: Server) => Promise<Reply>): Promise<Reply[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => request(servers[index % 2 === 0 ? 0 : 1])));
}

/** Expects that one request succeeded and that all others were rejected with the same error. */
function oneWinner(
  t: Test,
  replies: readonly Reply[],
  rejection = '401 invalid_grant',
): Record<string, string> {
  const winners = replies.filter(({ status }) => status === 200);
  t.equal(winners.length, 1, 'exactly one succeeds');
  const others = replies.filter(({ status }) => status !== 200);
  t.same(
    [...new Set(others.map(({ status, body }) => `${status} ${body.error}`))],
    [rejection],
    'all others are rejected with the same error',
  );
  return (winners[0]?.body ?? {}) as Record<string, string>;
}

/** The embedded database runs one statement at a time, so that more requests and rounds show nothing more. */
const many = real ? 100 : 8;
const rounds = real ? 10 : 2;

t.test(
  'exactly one of many concurrent uses of one client assertion succeeds, in two processes',
  async (t) => {
    const { application } = await createTenant(database);
    const { clientId } = application;
    const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
    await useKeys(database, application, [{ ...(await exportJWK(publicKey)), kid: 'one' }]);
    const assertion = () =>
      new SignJWT({ iss: clientId, sub: clientId, aud: 'http://api.test', jti: randomUUID() })
        .setProtectedHeader({ alg: 'ES256', kid: 'one' })
        .setIssuedAt()
        .setExpirationTime('4m')
        .sign(privateKey);
    const formOf = (client_assertion: string) => ({
      grant_type: 'client_credentials',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion,
    });
    const form = formOf(await assertion());
    oneWinner(t, await atOnce(many, (server) => server.post('/v1/oauth/token', form)), '401 invalid_client');
    const [one, other] = servers;
    const second = formOf(await assertion());
    t.equal((await one.post('/v1/oauth/token', second)).status, 200);
    t.equal((await other.post('/v1/oauth/token', second)).status, 401, 'a replay in the other process');
  },
);

t.test('exactly one of many concurrent uses of one DPoP proof succeeds, in two processes', async (t) => {
  const { application } = await createTenant(database);
  const client = dpopClient(api, await createSigner());
  const token = await client.token(application);
  await client.call(token);
  const headers = async () => ({
    authorization: `DPoP ${token}`,
    dpop: await client.proof({ method: 'GET', url: '/v1/employees', accessToken: token }),
  });
  const once = await headers();
  const replies = await atOnce(many, (server) => server.get('/v1/employees', once));
  t.equal(replies.filter(({ status }) => status === 200).length, 1);
  const others = replies.filter(({ status }) => status !== 200);
  t.same(
    [...new Set(others.map(({ status, body }) => `${status} ${body.code}`))],
    ['401 invalid_dpop_proof'],
  );
  const [one, other] = servers;
  const second = await headers();
  t.equal((await one.get('/v1/employees', second)).status, 200);
  t.match(await other.get('/v1/employees', second), { status: 401, body: { code: 'invalid_dpop_proof' } });
});

t.test('exactly one of many concurrent exchanges of one code succeeds, and its tokens work', async (t) => {
  for (let round = 0; round < Math.min(rounds, 3); round += 1) {
    const scene = await createScene(database);
    const { form } = await grantCode(api, scene);
    const { access_token = '', refresh_token = '' } = oneWinner(
      t,
      await atOnce(many, (server) => server.post('/v1/oauth/token', form)),
    );
    const where = { applicationId: scene.application.id };
    t.equal(await database.prisma.grant.count({ where }), 1);
    t.equal(await database.prisma.refreshToken.count({ where: { grant: where } }), 1);
    for (const server of servers)
      t.equal((await server.get('/v1/employees', bearer(access_token))).status, 200);
    const again = { grant_type: 'refresh_token', client_id: scene.application.clientId, refresh_token };
    t.equal((await servers[1].post('/v1/oauth/token', again)).status, 200);
  }
});

t.test(
  'exactly one of many concurrent uses of one refresh token succeeds, and the new one works',
  async (t) => {
    const scene = await createScene(database);
    let { refreshToken } = await grantTokens(api, scene);
    const form = () => ({
      grant_type: 'refresh_token',
      client_id: scene.application.clientId,
      refresh_token: refreshToken,
    });
    for (let round = 0; round < Math.min(rounds, 3); round += 1) {
      const won = oneWinner(t, await atOnce(many, (server) => server.post('/v1/oauth/token', form())));
      for (const server of servers) {
        t.equal((await server.get('/v1/employees', bearer(won.access_token ?? ''))).status, 200);
      }
      refreshToken = won.refresh_token ?? '';
    }
    t.equal((await servers[0].post('/v1/oauth/token', form())).status, 200);
    const where = { grant: { applicationId: scene.application.id } };
    t.equal(await database.prisma.refreshToken.count({ where: { ...where, usedAt: null } }), 1);
  },
);

t.test('a concurrent refresh and revocation of its grant leave no valid token', async (t) => {
  for (let round = 0; round < rounds; round += 1) {
    const scene = await createScene(database);
    const { refreshToken } = await grantTokens(api, scene);
    const { clientId } = scene.application;
    const form = { grant_type: 'refresh_token', client_id: clientId, refresh_token: refreshToken };
    const [refreshed, revoked] = await Promise.all([
      servers[0].post('/v1/oauth/token', form),
      servers[1].post('/v1/oauth/revoke', { client_id: clientId, token: refreshToken }),
    ]);
    t.equal(revoked.status, 200);
    if (refreshed.status !== 200) continue;
    const { access_token = '', refresh_token = '' } = refreshed.body as Record<string, string>;
    t.equal((await servers[0].get('/v1/employees', bearer(access_token))).status, 401);
    const again = await servers[1].post('/v1/oauth/token', { ...form, refresh_token });
    t.equal(again.status, 401);
  }
});

t.test('a token that one server has revoked is rejected by the other at once, every time', async (t) => {
  const { application } = await createTenant(database);
  const { clientId, clientSecret } = application;
  const tokens = new AccessTokens(api.signingKeys, {
    issuer: 'http://api.test',
    ttlSeconds: 3600,
    clock: systemClock,
  });
  const lanes = real ? 8 : 2;
  const times = real ? 125 : 4;
  const wrong: string[] = [];
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      for (let round = 0; round < times; round += 1) {
        const [one, other] = (lane + round) % 2 === 0 ? servers : [servers[1], servers[0]];
        const token = await tokens.issue({
          subject: clientId,
          clientId,
          scopes: ['reports:read'],
          resources: ['api'],
        });
        // The other server has verified the signature of the token and caches it.
        const before = await other.get('/v1/employees?page%5Bsize%5D=1', bearer(token));
        const form = { client_id: clientId, client_secret: clientSecret, token };
        const revoked = await one.post('/v1/oauth/revoke', form);
        const after = await other.get('/v1/employees?page%5Bsize%5D=1', bearer(token));
        const story = `${before.status} ${revoked.status} ${after.status} ${after.body.code}`;
        if (story !== '200 200 401 invalid_token') wrong.push(story);
      }
    }),
  );
  t.same(wrong, []);
  t.equal(await database.prisma.revokedAccessToken.count(), lanes * times);
});

t.test('a grant that one server has revoked is rejected by the other at once', async (t) => {
  for (let round = 0; round < rounds; round += 1) {
    const scene = await createScene(database);
    const { accessToken, refreshToken } = await grantTokens(api, scene);
    const [one, other] = round % 2 === 0 ? servers : [servers[1], servers[0]];
    t.equal((await other.get('/v1/employees', bearer(accessToken))).status, 200);
    await one.post('/v1/oauth/revoke', { client_id: scene.application.clientId, token: refreshToken });
    t.equal((await other.get('/v1/employees', bearer(accessToken))).status, 401);
    t.equal((await refresh(api, scene.application, refreshToken)).statusCode, 401);
  }
});

const onPostgresql = { skip: !real && 'the embedded database is open in one process at a time' };

t.test(
  'two servers that start concurrently on an empty database share one key and one schema',
  onPostgresql,
  async (t) => {
    const options = await createTestDatabase(t, { empty: true });
    const { databaseUrl = '' } = options;
    const processes = await Promise.all([
      startServerProcess(t, { databaseUrl }),
      startServerProcess(t, { databaseUrl }),
    ]);
    const opened = await openDatabase(options);
    t.teardown(() => opened.close());
    t.equal(await opened.prisma.signingKey.count(), 1);
    const applied = await query<{ name: string }>(
      opened,
      'SELECT migration_name AS name FROM _prisma_migrations',
    );
    t.equal(new Set(applied.map(({ name }) => name)).size, applied.length, 'each migration once');
    const { clientId, clientSecret } = (await createTenant(opened)).application;
    const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
    const both = processes.map(({ url }) => overNetwork(url));
    for (const server of both) {
      const { body } = await server.post('/v1/oauth/token', form);
      for (const other of both) {
        t.equal((await other.get('/v1/employees', bearer(String(body.access_token)))).status, 200);
      }
    }
    t.same(await Promise.all(processes.map(({ stop }) => stop())), [0, 0], 'both exit with 0');
  },
);
