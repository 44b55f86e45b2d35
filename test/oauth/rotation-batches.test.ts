import type { LightMyRequestResponse } from 'fastify';
import { newOpaqueToken } from '../../src/platform/crypto/keyring.js';
import { randomId } from '../../src/platform/database/ids.js';
import { openDatabase } from '../../src/platform/database/open-database.js';
import { openElsewhere, openSharedTestDatabase, testServer } from '../support/database/database.js';
import { asOwner } from '../support/database/owner.js';
import { openTransaction, untilWaiting, waitingStatements } from '../support/database/transaction.js';
import {
  createScene,
  expectOAuthError,
  expectTokenRejected,
  hashOf,
  refresh,
  type Scene,
  tokensOf,
} from '../support/oauth/users.js';
import { buildTestApp, type TestApp } from '../support/server/app.js';
import t, { type Test } from '../support/tap.js';

const environment = { RATE_LIMIT_FAILURES: '0', RATE_LIMIT_TOKEN: '0' };
const { database: shared, options } = await openSharedTestDatabase(t);
const database = testServer === undefined ? shared : await openDatabase({ ...options, poolSize: 6 });
if (database !== shared) t.teardown(() => database.close());
const api = await buildTestApp(t, { database, environment });

/** Locks need another connection, which the embedded database does not have. */
const onPostgresql = { skip: testServer === undefined && 'the embedded database has one connection' };

interface Holder {
  readonly scene: Scene;
  readonly grantId: string;
  readonly token: string;
}

/** A user of a separate account, with a refresh token. */
async function createHolder(): Promise<Holder> {
  const scene = await createScene(database);
  const grantId = randomId();
  const { value, hash } = newOpaqueToken();
  const scopes = ['reports:read', 'user:read'];
  const { accountId, application, user } = scene;
  await database.prisma.grant.create({
    data: { id: grantId, accountId, applicationId: application.id, userId: user.id, scopes },
  });
  await database.prisma.refreshToken.create({
    data: {
      tokenHash: hash,
      accountId,
      grantId,
      scopes,
      expiresAt: new Date(api.clock().getTime() + 86_400_000),
    },
  });
  return { scene, grantId, token: value };
}

const createHolders = (count: number) => Promise.all(Array.from({ length: count }, createHolder));

const refreshOf = ({ scene, token }: Holder, by: TestApp = api) => refresh(by, scene.application, token);

/** The same service as another process. With the embedded database, it shares the connection. */
async function createOther(t: Test): Promise<TestApp> {
  const opened = await openElsewhere(t, options, database);
  return buildTestApp(t, { database: opened, environment, clock: api.clock });
}

function allSucceeded(t: Test, responses: readonly LightMyRequestResponse[], what: string): void {
  t.same([...new Set(responses.map(({ statusCode }) => statusCode))], [200], what);
}

/** Cancels the statements that wait for a lock. PostgreSQL does the same when the time limit of a statement expires. */
const cancelWaiting = () =>
  asOwner(
    database,
    `SELECT pg_cancel_backend(pid)::text FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );

const lockToken = `SELECT FROM refresh_tokens WHERE token_hash = decode($1, 'hex') FOR UPDATE`;
const hexOf = ({ token }: Holder) => hashOf(token).toString('hex');

t.test(
  'a locked token does not delay others, and succeeds when its lock is released',
  onPostgresql,
  async (t) => {
    const [locked, ...others] = (await createHolders(40)) as [Holder, ...Holder[]];
    const transaction = await openTransaction(t, options);
    await transaction.query(lockToken, [hexOf(locked)]);
    // Between the others, so that it shares a batch with some of them.
    const before = others.slice(0, 20).map((holder) => refreshOf(holder));
    const late = refreshOf(locked);
    const after = others.slice(20).map((holder) => refreshOf(holder));
    allSucceeded(t, await Promise.all([...before, ...after]), 'while it is locked');
    await untilWaiting(database, 1);
    await transaction.end('COMMIT');
    t.equal((await late).statusCode, 200);
    expectOAuthError(t, await refreshOf(locked), 'invalid_grant');
  },
);

t.test('many locked tokens neither delay others nor exhaust the connections', onPostgresql, async (t) => {
  const locked = await createHolders(12);
  const rounds = [await createHolders(10), await createHolders(10), await createHolders(10)];
  const transaction = await openTransaction(t, options);
  for (const holder of locked) await transaction.query(lockToken, [hexOf(holder)]);
  const late = locked.map((holder) => refreshOf(holder));
  await untilWaiting(database, 2);
  for (const [round, others] of rounds.entries()) {
    allSucceeded(t, await Promise.all(others.map((holder) => refreshOf(holder))), `round ${round}`);
  }
  t.equal(await waitingStatements(database), 2, 'only two statements wait');
  await transaction.end('ROLLBACK');
  allSucceeded(t, await Promise.all(late), 'once the locks are released');
});

t.test(
  'a token that stays locked too long is 503, is not consumed, and fails alone',
  onPostgresql,
  async (t) => {
    const [locked, ...others] = (await createHolders(10)) as [Holder, ...Holder[]];
    const transaction = await openTransaction(t, options);
    await transaction.query(lockToken, [hexOf(locked)]);
    const late = refreshOf(locked);
    allSucceeded(t, await Promise.all(others.map((holder) => refreshOf(holder))), 'the others');
    await untilWaiting(database, 1);
    // As if the time limit of the statement had expired.
    await cancelWaiting();
    const { statusCode, headers } = await late;
    t.equal(statusCode, 503);
    t.ok(headers['retry-after']);
    await transaction.end('ROLLBACK');
    t.equal((await refreshOf(locked)).statusCode, 200);
  },
);

t.test('a token that a concurrent transaction consumes is rejected as a replay', onPostgresql, async (t) => {
  const holder = await createHolder();
  const transaction = await openTransaction(t, options);
  await transaction.query(`UPDATE refresh_tokens SET used_at = $2 WHERE token_hash = decode($1, 'hex')`, [
    hexOf(holder),
    new Date(api.clock().getTime() - 60_000).toISOString(),
  ]);
  const loser = refreshOf(holder);
  await untilWaiting(database, 1);
  await transaction.end('COMMIT');
  expectOAuthError(t, await loser, 'invalid_grant');
  const grant = await database.prisma.grant.findFirstOrThrow({ where: { id: holder.grantId } });
  t.ok(grant.revokedAt, 'a reuse a minute later counts as a replay');
});

for (const table of ['grants', 'accounts'] as const) {
  t.test(
    `a deletion from ${table} does not delay other tokens, and does not deadlock`,
    onPostgresql,
    async (t) => {
      const [doomed, ...others] = (await createHolders(20)) as [Holder, ...Holder[]];
      const id = table === 'grants' ? doomed.grantId : doomed.scene.accountId;
      const transaction = await openTransaction(t, options);
      await transaction.query(`SELECT FROM ${table} WHERE id = $1 FOR UPDATE`, [id]);
      const late = refreshOf(doomed);
      allSucceeded(t, await Promise.all(others.map((holder) => refreshOf(holder))), 'while it is locked');
      await untilWaiting(database, 1);
      // Also deletes dependent rows, which a waiting transaction must not have locked.
      await transaction.query(`DELETE FROM ${table} WHERE id = $1`, [id]);
      await transaction.end('COMMIT');
      expectOAuthError(t, await late, 'invalid_grant');
    },
  );
}

t.test('a grant that is revoked while its token is queued issues no valid token', onPostgresql, async (t) => {
  const holder = await createHolder();
  const transaction = await openTransaction(t, options);
  await transaction.query(lockToken, [hexOf(holder)]);
  await transaction.query('UPDATE grants SET revoked_at = now() WHERE id = $1', [holder.grantId]);
  const late = refreshOf(holder);
  await untilWaiting(database, 1);
  await transaction.end('COMMIT');
  const response = await late;
  if (response.statusCode === 401) return;
  const { accessToken, refreshToken } = tokensOf(response);
  await expectTokenRejected(t, api, accessToken, 'invalid_token');
  expectOAuthError(t, await refresh(api, holder.scene.application, refreshToken), 'invalid_grant');
});

t.test(
  'each token succeeds exactly once when two processes use the same tokens in opposite order',
  async (t) => {
    const other = await createOther(t);
    // The embedded database runs one statement at a time.
    const [rounds, count] = testServer === undefined ? [1, 6] : [3, 30];
    for (let round = 0; round < rounds; round += 1) {
      const holders = await createHolders(count);
      const [there, back] = await Promise.all([
        Promise.all(holders.map((holder) => refreshOf(holder))),
        Promise.all(holders.toReversed().map((holder) => refreshOf(holder, other))),
      ]);
      for (const [index, response] of there.entries()) {
        const outcomes = [response.statusCode, back.at(-1 - index)?.statusCode];
        t.same(outcomes.toSorted(), [200, 401]);
      }
    }
  },
);

t.test('a token that is in a batch many times succeeds once, and all others succeed', async (t) => {
  const [twice, ...others] = (await createHolders(5)) as [Holder, ...Holder[]];
  const holders = [twice, ...others.slice(0, 2), twice, twice, ...others.slice(2), twice];
  const responses = await Promise.all(holders.map((holder) => refreshOf(holder)));
  const ofTwice = responses.filter((_, index) => holders[index] === twice);
  t.same(ofTwice.map(({ statusCode }) => statusCode).toSorted(), [200, 401, 401, 401]);
  for (const response of ofTwice)
    if (response.statusCode === 401) expectOAuthError(t, response, 'invalid_grant');
  allSucceeded(
    t,
    responses.filter((_, index) => holders[index] !== twice),
    'the others',
  );
  const where = { grantId: twice.grantId };
  t.equal(await database.prisma.refreshToken.count({ where }), 2, 'the used one and one successor');
});

t.test('rejects only the invalid requests of a batch', async (t) => {
  const [revoked, disabled, stolen, greedy, ...others] = (await createHolders(7)) as [
    Holder,
    Holder,
    Holder,
    Holder,
    ...Holder[],
  ];
  await database.prisma.grant.updateMany({
    where: { id: revoked.grantId },
    data: { revokedAt: new Date() },
  });
  const { id } = disabled.scene.user;
  await database.prisma.user.updateMany({ where: { id }, data: { disabledAt: new Date() } });
  const stranger = (others[0] as Holder).scene.application;
  const [good, ...bad] = await Promise.all([
    Promise.all(others.map((holder) => refreshOf(holder))),
    refreshOf(revoked),
    refreshOf(disabled),
    refresh(api, stranger, stolen.token),
    refresh(api, stranger, randomId(50)),
    refresh(api, greedy.scene.application, greedy.token, { scope: 'reports:write' }),
  ]);
  allSucceeded(t, good, 'the valid ones');
  const codes = ['invalid_grant', 'invalid_grant', 'invalid_grant', 'invalid_grant', 'invalid_scope'];
  for (const [index, response] of bad.entries()) expectOAuthError(t, response, codes[index] ?? '');
  for (const [index, response] of good.entries()) {
    const token = tokensOf(response).accessToken;
    const payload = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    t.equal(payload.sub, others[index]?.scene.user.id, 'each with the token of its user');
  }
  for (const holder of [stolen, greedy]) t.equal((await refreshOf(holder)).statusCode, 200, 'not consumed');
});

t.test('a rotation that the database rejects fails alone, and changes nothing', async (t) => {
  const [faulty, ...others] = (await createHolders(5)) as [Holder, ...Holder[]];
  await asOwner(
    database,
    `
    CREATE FUNCTION refuse_successor() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = 'foreign_key_violation'; END $$`,
  );
  await asOwner(
    database,
    `
    CREATE TRIGGER refuse_successor BEFORE INSERT ON refresh_tokens
    FOR EACH ROW WHEN (NEW.grant_id = '${faulty.grantId}') EXECUTE FUNCTION refuse_successor()`,
  );
  const [failed, ...rest] = await Promise.all([faulty, ...others].map((holder) => refreshOf(holder)));
  t.equal(failed?.statusCode, 500);
  allSucceeded(t, rest, 'the others');
  await asOwner(database, 'DROP TRIGGER refuse_successor ON refresh_tokens');
  // Otherwise the database is not used again.
  await asOwner(database, 'DROP FUNCTION refuse_successor');
  t.equal((await refreshOf(faulty)).statusCode, 200, 'it was not consumed');
});
