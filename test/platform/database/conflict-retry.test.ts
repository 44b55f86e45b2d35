import type { Database } from '../../../src/platform/database/client.js';
import { openDatabase } from '../../../src/platform/database/open-database.js';
import { observeDatabase } from '../../../src/platform/observability/observed-database.js';
import { createTestDatabase, testServer } from '../../support/database/database.js';
import { asOwner } from '../../support/database/owner.js';
import { openTransaction, untilWaiting } from '../../support/database/transaction.js';
import {
  createScene,
  grantCode,
  grantTokens,
  refresh,
  type Scene,
  tokensOf,
} from '../../support/oauth/users.js';
import { buildTestApp, type TestApp } from '../../support/server/app.js';
import { captureLog } from '../../support/server/captured-log.js';
import t, { type Test } from '../../support/tap.js';

/** The embedded database runs transactions one after the other: they cannot conflict, and are not retried. */
const onPostgresql = { skip: testServer === undefined && 'the embedded database has one connection' };

const options = await createTestDatabase(t);
const log = captureLog('warn');
const opened = await openDatabase({ ...options, logger: log.logger });
t.teardown(() => opened.close());
// Wrapped as for metrics and traces.
const watched = observeDatabase(opened, { around: (_, execute) => execute() });
const plain = await buildTestApp(t, { database: opened });

// A rollback does not reset a sequence.
await asOwner(opened, 'CREATE SEQUENCE conflicts MINVALUE -2000 START 1');
await asOwner(
  opened,
  `CREATE FUNCTION conflict() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
   BEGIN
     IF nextval('conflicts') <= 0 THEN RAISE EXCEPTION 'for a test' USING ERRCODE = '40P01'; END IF;
     RETURN NEW;
   END $$`,
);
await asOwner(
  opened,
  'CREATE TRIGGER conflict BEFORE INSERT ON audit_events FOR EACH ROW EXECUTE FUNCTION conflict()',
);

/** Makes the next inserts of audit events fail with the error of a deadlock. */
async function conflictNext(t: Test, times: number): Promise<void> {
  const reset = (next: number) => asOwner(opened, `SELECT setval('conflicts', ${next}, false)::int`);
  await reset(1 - times);
  t.teardown(() => reset(1));
}

/** A request that writes for each way to query the database. */
const ways: Readonly<Record<string, (api: TestApp, scene: Scene) => Promise<() => Promise<number>>>> = {
  'a transaction': async (api, scene) => {
    const { accessToken } = await grantTokens(api, scene, { scope: 'reports:write' });
    const headers = { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' };
    return () =>
      statusOf(
        api.app.inject({ method: 'POST', url: '/v1/reports', headers, payload: '{"title":"Headcount"}' }),
      );
  },
  'one statement': async (api, scene) => {
    const { form } = await grantCode(api, scene);
    return () => statusOf(api.postForm('/v1/oauth/token', form));
  },
  'a statement that requests share': async (api, scene) => {
    const { refreshToken } = await grantTokens(api, scene);
    return () => statusOf(refresh(api, scene.application, refreshToken));
  },
};

async function statusOf(
  response: Promise<{ statusCode: number; headers: Record<string, unknown>; json(): { code?: string } }>,
): Promise<number> {
  const { statusCode, headers, json } = await response;
  if (statusCode < 500) return statusCode;
  // The response has Retry-After and no internal details.
  return headers['retry-after'] === '2' && json().code === 'service_unavailable' ? statusCode : 0;
}

for (const [way, prepare] of Object.entries(ways)) {
  for (const [name, database] of Object.entries<Database>({ plain: opened, watched })) {
    t.test(`${way} that loses one conflict succeeds (${name} database)`, onPostgresql, async (t) => {
      const api = await buildTestApp(t, { database });
      const request = await prepare(api, await createScene(database));
      const before = log.lines.length;
      await conflictNext(t, 1);
      t.match(await request(), /^20[01]$/);
      t.match(log.lines.slice(before).join(''), 'a transaction conflict: retrying');
    });
  }

  t.test(`${way} that fails with every retry is 503 with Retry-After and stores nothing`, async (t) => {
    const request = await prepare(plain, await createScene(opened));
    const rows = async () => [
      await opened.prisma.report.count(),
      await opened.prisma.refreshToken.count(),
      await opened.prisma.authorizationCode.count({ where: { usedAt: null } }),
    ];
    const before = await rows();
    await t.test('responds 503 and changes no row while every retry fails', async (t) => {
      await conflictNext(t, 1000);
      t.equal(await request(), 503);
      t.same(await rows(), before);
    });
    t.match(await request(), /^20[01]$/, 'succeeds once conflicts end');
  });
}

t.test('a request that PostgreSQL ends to resolve a deadlock succeeds', onPostgresql, async (t) => {
  const api = await buildTestApp(t, { database: opened });
  const scene = await createScene(opened);
  const tokens = await grantTokens(api, scene);
  const { form } = await grantCode(api, scene);
  // An operator locks in another order: the code first, then the user. PostgreSQL aborts the request.
  const other = await openTransaction(t, options);
  await other.query('SET LOCAL ROLE NONE');
  await other.query(`SET LOCAL deadlock_timeout = '60s'`);
  await other.query('SELECT FROM authorization_codes WHERE user_id = $1 AND used_at IS NULL FOR UPDATE', [
    scene.user.id,
  ]);
  const before = log.lines.length;
  const exchange = api.postForm('/v1/oauth/token', form);
  await untilWaiting(opened, 1);
  await other.query('SELECT FROM users WHERE id = $1 FOR UPDATE', [scene.user.id]);
  await other.end('COMMIT');
  const { refreshToken } = tokensOf(await exchange);
  t.match(log.lines.slice(before).join(''), 'a transaction conflict: retrying');
  for (const token of [refreshToken, tokens.refreshToken]) {
    t.equal((await refresh(api, scene.application, token)).statusCode, 200);
  }
});
