import { randomBytes } from 'node:crypto';
import type { Database } from '../../src/platform/database/client.js';
import { randomId } from '../../src/platform/database/ids.js';
import { Housekeeping } from '../../src/process/housekeeping.js';
import { openTestDatabase } from '../support/database/database.js';
import { query } from '../support/database/query.js';
import {
  createScene,
  expectOAuthError,
  expectTokenRejected,
  grantCode,
  hashOf,
  refresh,
  tokensOf,
} from '../support/oauth/users.js';
import { buildTestApp } from '../support/server/app.js';
import t, { type Test } from '../support/tap.js';

const day = 86_400;
const now = new Date('2026-03-01T09:00:00.000Z');
const secondsFromNow = (seconds: number) => new Date(now.getTime() + seconds * 1000);

const batchSize = 20;

const prune = (database: Database, at: Date, signal?: AbortSignal) =>
  new Housekeeping(database, { eventRetentionDays: 30, historyRetentionDays: 30, batchSize }).prune(
    at,
    signal,
  );

/** A new database, because pruning deletes rows of all accounts. */
async function setUp(t: Test) {
  const database = await openTestDatabase(t);
  return { database, ...(await createScene(database)) };
}

type Setting = Awaited<ReturnType<typeof setUp>>;

async function addGrant({ database: { prisma }, accountId, application, user }: Setting): Promise<string> {
  const { id } = await prisma.grant.create({
    data: { id: randomId(), accountId, applicationId: application.id, userId: user.id },
  });
  return id;
}

const addRefreshToken = ({ database: { prisma }, accountId }: Setting, grantId: string, expiresAt: Date) =>
  prisma.refreshToken.create({ data: { tokenHash: randomBytes(32), accountId, grantId, expiresAt } });

/** Adds a row to each table that expires, or was created, at this time. */
async function addRows(setting: Setting, at: Record<keyof typeof keptSeconds, Date>): Promise<void> {
  const { database, accountId, application, user } = setting;
  const { prisma } = database;
  const applicationId = application.id;
  await prisma.authorizationCode.create({
    data: {
      codeHash: randomBytes(32),
      accountId,
      applicationId,
      userId: user.id,
      redirectUri: 'https://client.example/',
      codeChallenge: 'x',
      expiresAt: at.authorization_codes,
    },
  });
  await addRefreshToken(setting, await addGrant(setting), at.refresh_tokens);
  await prisma.revokedAccessToken.create({
    data: { jti: randomId(), accountId, expiresAt: at.revoked_access_tokens },
  });
  await prisma.employeeImport.create({
    data: {
      ...{ accountId, id: randomId(), userId: user.id, address: '127.0.0.1', requestId: 'r', eventId: 'e' },
      ...{ fileName: 'staff.csv', format: 'csv', state: 'uploaded' },
      ...{ createdAt: now, expiresAt: at.employee_imports },
      chunks: { create: { number: 0, content: randomBytes(8) } },
      errors: { create: { line: 2, message: 'm' } },
      changes: { create: { position: 1, version: 'x', expiresAt: at.employee_import_changes } },
    },
  });
  await prisma.clientAssertion.create({
    data: { key: randomBytes(32), expiresAt: at.client_assertions },
  });
  await prisma.pushedRequest.create({
    data: {
      requestUriHash: randomBytes(32),
      accountId,
      applicationId,
      parameters: {},
      expiresAt: at.pushed_requests,
    },
  });
  await prisma.usedProof.create({ data: { proofHash: randomBytes(32), expiresAt: at.used_proofs } });
  await prisma.session.create({
    data: { idHash: randomBytes(32), accountId, userId: user.id, expiresAt: at.sessions },
  });
  await prisma.logoutNotice.create({
    data: {
      ...{ accountId, applicationId, userId: user.id, sid: randomId() },
      ...{ dueAt: at.logout_notices, createdAt: at.logout_notices },
    },
  });
  await prisma.signInRequest.create({
    data: {
      stateHash: randomBytes(32),
      accountId,
      browserHash: randomBytes(32),
      issuer: 'https://identity.example',
      clientId: 'x',
      returnTo: '/people',
      createdAt: at.sign_in_requests,
      expiresAt: at.sign_in_requests,
    },
  });
  await prisma.oneTimeLink.create({
    data: {
      id: randomId(),
      accountId,
      tokenHash: randomBytes(32),
      purpose: 'invitation',
      email: 'ada@users.example',
      role: 'member',
      mailed: true,
      expiresAt: at.one_time_links,
    },
  });
  await prisma.idempotencyKey.create({
    data: {
      accountId,
      applicationId,
      key: randomId(),
      operation: 'x',
      fingerprint: randomBytes(32),
      expiresAt: at.idempotency_keys,
    },
  });
  await prisma.submittedForm.create({
    data: { key: randomBytes(32), resultId: randomId(), expiresAt: at.submitted_forms },
  });
  await prisma.failureCount.create({ data: { key: randomId(), points: 1, expire: at.failure_counts } });
  await prisma.requestCount.create({ data: { key: randomId(), points: 1, expire: at.request_counts } });
  await prisma.sharedApplication.create({
    data: {
      clientId: `https://client.example/${randomId()}`,
      document: {},
      freshUntil: at.shared_applications,
      usableUntil: at.shared_applications,
    },
  });
  await prisma.signingKey.create({
    data: { kid: randomId(), algorithm: 'x', privateKey: '', publicKey: {}, expiresAt: at.signing_keys },
  });
  await prisma.auditEvent.create({
    data: { id: randomId(), accountId, type: 'x', createdAt: at.audit_events },
  });
  const { events } = await prisma.accountTotals.update({
    where: { accountId },
    data: { events: { increment: 1 } },
  });
  await prisma.event.create({
    data: { accountId, position: events, type: 'x', resourceId: 'x', occurredAt: at.events },
  });
  await prisma.systemEvent.create({ data: { id: randomId(), type: 'x', createdAt: at.system_events } });
  const call = { accountId, applicationId, operation: 'x' };
  await prisma.apiUsage.create({
    data: { ...call, hour: at.api_usage, userId: '', calls: 1, errors: 0, rateLimited: 0, records: 0 },
  });
  await prisma.failedAuthentications.create({
    data: { accountId, applicationId, hour: at.failed_authentications, failures: 1 },
  });
  await prisma.rejectedRequest.create({
    data: { ...call, createdAt: at.rejected_requests, id: randomId(), requestId: 'x', status: 400 },
  });
}

/** Seconds for which a row is kept after its timestamp. */
const keptSeconds = {
  authorization_codes: day,
  refresh_tokens: day,
  revoked_access_tokens: day,
  client_assertions: day,
  pushed_requests: 0,
  used_proofs: 0,
  sessions: 0,
  logout_notices: day,
  sign_in_requests: 0,
  one_time_links: 0,
  idempotency_keys: 0,
  submitted_forms: 0,
  employee_import_changes: 0,
  employee_imports: 0,
  failure_counts: 0,
  request_counts: 0,
  shared_applications: day,
  signing_keys: 0,
  audit_events: 400 * day,
  events: 30 * day,
  system_events: 400 * day,
  api_usage: 400 * day,
  failed_authentications: 7 * day,
  rejected_requests: 7 * day,
};

function moments(offsetSeconds: number): Record<keyof typeof keptSeconds, Date> {
  return Object.fromEntries(
    Object.entries(keptSeconds).map(([table, kept]) => [table, secondsFromNow(offsetSeconds - kept)]),
  ) as Record<keyof typeof keptSeconds, Date>;
}

async function countAll(database: Database): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of [...Object.keys(keptSeconds), 'grants']) {
    const [row] = await query<{ count: string }>(database, `SELECT count(*)::text AS count FROM ${table}`);
    counts[table] = Number(row?.count);
  }
  return counts;
}

const each = (count: number) =>
  Object.fromEntries(Object.keys(keptSeconds).map((table) => [table, count])) as Record<string, number>;

t.test('deletes exactly the expired rows of each table', async (t) => {
  const setting = await setUp(t);
  const { database } = setting;
  for (const offset of [-1, -10 * day]) await addRows(setting, moments(offset));
  for (const offset of [1, 10 * day]) await addRows(setting, moments(offset));
  await database.prisma.signingKey.create({
    data: { kid: 'current', algorithm: 'x', privateKey: '', publicKey: {} },
  });
  await database.prisma.failureCount.create({ data: { key: 'endless', points: 1, expire: null } });

  t.same(await prune(database, now), each(2));
  t.same(await countAll(database), { ...each(2), grants: 2, signing_keys: 3, failure_counts: 3 });
  const left = await database.prisma.refreshToken.findMany();
  t.ok(left.every(({ expiresAt }) => expiresAt >= secondsFromNow(-day)));
  const codes = await database.prisma.authorizationCode.findMany();
  t.ok(codes.every(({ expiresAt }) => expiresAt >= secondsFromNow(-day)));
  t.same(await prune(database, now), each(0), 'the second run changes nothing');
});

t.test('does not delete accounts, users and applications', async (t) => {
  const setting = await setUp(t);
  const { prisma } = setting.database;
  await addRows(setting, moments(-1));
  const owned = () =>
    Promise.all([prisma.account.findMany(), prisma.user.findMany(), prisma.application.findMany()]);
  const before = await owned();
  await prune(setting.database, secondsFromNow(5000 * day));
  t.same(await owned(), before);
});

t.test('deletes a grant with its last refresh token, and not before', async (t) => {
  const setting = await setUp(t);
  const { database } = setting;
  const [gone, kept, revoked] = await Promise.all([1, 2, 3].map(() => addGrant(setting)));
  if (gone === undefined || kept === undefined || revoked === undefined) return;
  const [over, alive] = [secondsFromNow(-day - 1), secondsFromNow(1)];
  for (const expiresAt of [over, over]) await addRefreshToken(setting, gone, expiresAt);
  for (const expiresAt of [over, alive]) await addRefreshToken(setting, kept, expiresAt);
  await addRefreshToken(setting, revoked, alive);
  await database.prisma.grant.updateMany({ where: { id: revoked }, data: { revokedAt: over } });

  t.equal((await prune(database, now)).refresh_tokens, 3);
  const left = await database.prisma.grant.findMany();
  t.same(left.map(({ id }) => id).toSorted(), [kept, revoked].toSorted());
  t.equal((await prune(database, secondsFromNow(day + 2))).refresh_tokens, 2);
  t.equal(await database.prisma.grant.count(), 0);
});

/** Adds many expired rows, and some that are not expired. */
async function addMany(setting: Setting, over: number, alive: number): Promise<void> {
  const { database, application, accountId, user } = setting;
  for (const [count, expiresAt] of [
    [over, secondsFromNow(-2 * day)],
    [alive, secondsFromNow(day)],
  ] as const) {
    const rows = [randomId(), String(count), expiresAt.toISOString()];
    await query(
      database,
      `INSERT INTO revoked_access_tokens (jti, account_id, expires_at)
       SELECT $1::text || n, $4, $3::timestamptz FROM generate_series(1, $2::int) AS n`,
      [...rows, accountId],
    );
    await query(
      database,
      `INSERT INTO grants (id, account_id, application_id, user_id)
       SELECT $1::text || n, $3, $4, $5 FROM generate_series(1, $2::int) AS n`,
      [...rows.slice(0, 2), accountId, application.id, user.id],
    );
    await query(
      database,
      `INSERT INTO refresh_tokens (token_hash, account_id, grant_id, expires_at)
       SELECT sha256(convert_to($1::text || n || ' ' || copy, 'UTF8')), $4, $1::text || n, $3::timestamptz
       FROM generate_series(1, $2::int) AS n, generate_series(1, 2) AS copy ORDER BY copy, n`,
      [...rows, accountId],
    );
  }
}

t.test(
  'keeps published applications, and documents that an account has installed or requested',
  async (t) => {
    const setting = await setUp(t);
    const { accountId, application, user } = setting;
    const { prisma } = setting.database;
    const over = secondsFromNow(-30 * day);
    const document = { document: {}, freshUntil: over, usableUntil: over, createdAt: over };
    const url = (name: string) => `https://${name}.example/oauth`;
    for (const name of ['installed', 'requested', 'declined', 'unused'])
      await prisma.sharedApplication.create({ data: { clientId: url(name), ...document } });
    await prisma.sharedApplication.create({
      data: {
        clientId: application.clientId,
        publisherAccountId: accountId,
        applicationId: application.id,
        createdAt: over,
      },
    });
    await prisma.application.create({
      data: {
        ...{ id: randomId(), accountId, clientId: randomId(), name: 'Installed', clientType: 'public' },
        installedClientId: url('installed'),
      },
    });
    for (const [name, declinedAt] of [
      ['requested', null],
      ['declined', over],
    ] as const)
      await prisma.approvalRequest.create({
        data: { accountId, userId: user.id, clientId: url(name), scopes: [], declinedAt },
      });
    t.equal((await prune(setting.database, now)).shared_applications, 1);
    const left = await prisma.sharedApplication.findMany();
    t.same(
      left.map(({ clientId }) => clientId).toSorted(),
      [application.clientId, ...['installed', 'requested', 'declined'].map(url)].toSorted(),
    );
    t.equal(await prisma.application.count({ where: { NOT: { installedClientId: null } } }), 1);
    t.equal(await prisma.approvalRequest.count(), 2);
  },
);

t.test('deletes more rows than one batch holds', async (t) => {
  const setting = await setUp(t);
  await addMany(setting, 42, 5);
  const pruned = await prune(setting.database, now);
  t.equal(pruned.revoked_access_tokens, 42);
  t.equal(pruned.refresh_tokens, 84, 'those of a grant at once, wherever they are in the table');
  t.match(await countAll(setting.database), { revoked_access_tokens: 5, refresh_tokens: 10, grants: 5 });
});

t.test('a prune that is stopped leaves the rest for the next one', async (t) => {
  const setting = await setUp(t);
  await addMany(setting, 42, 5);
  const ending = new AbortController();
  const pruning = prune(setting.database, now, ending.signal);
  ending.abort();
  t.equal((await pruning).revoked_access_tokens, 0);
  t.match(await countAll(setting.database), { revoked_access_tokens: 47 });
  t.equal((await prune(setting.database, now)).revoked_access_tokens, 42);
});

t.test('concurrent prunes delete each expired row once', async (t) => {
  const setting = await setUp(t);
  await addMany(setting, 50, 5);
  const pruned = await Promise.all([1, 2, 3].map(() => prune(setting.database, now)));
  const total = (table: string) => pruned.reduce((sum, counts) => sum + (counts[table] ?? 0), 0);
  t.equal(total('revoked_access_tokens'), 50);
  t.equal(total('refresh_tokens'), 100);
  t.match(await countAll(setting.database), { revoked_access_tokens: 5, refresh_tokens: 10, grants: 5 });
});

t.test('a replay on the next day is still detected after pruning', async (t) => {
  const database = await openTestDatabase(t);
  const api = await buildTestApp(t, { database });
  const scene = await createScene(database);

  const code = await grantCode(api, scene);
  const byCode = tokensOf(await api.postForm('/v1/oauth/token', code.form));
  api.clock.advanceSeconds(day);
  await prune(database, api.clock());
  expectOAuthError(t, await api.postForm('/v1/oauth/token', code.form), 'invalid_grant');
  expectOAuthError(t, await refresh(api, scene.application, byCode.refreshToken), 'invalid_grant');

  const other = await grantCode(api, scene);
  const first = tokensOf(await api.postForm('/v1/oauth/token', other.form));
  api.clock.advanceSeconds(30 * day - 1);
  const second = tokensOf(await refresh(api, scene.application, first.refreshToken));
  api.clock.advanceSeconds(day);
  await prune(database, api.clock());
  const third = tokensOf(await refresh(api, scene.application, second.refreshToken));
  expectOAuthError(t, await refresh(api, scene.application, first.refreshToken), 'invalid_grant');
  await expectTokenRejected(t, api, third.accessToken, 'invalid_token');
});

t.test('pruning makes no token valid again', async (t) => {
  const database = await openTestDatabase(t);
  const api = await buildTestApp(t, { database });
  const scene = await createScene(database);
  const { code, form } = await grantCode(api, scene);
  const { accessToken, refreshToken } = tokensOf(await api.postForm('/v1/oauth/token', form));
  await api.postForm('/v1/oauth/revoke', { client_id: scene.application.clientId, token: accessToken });
  for (const seconds of [3599, 1, 1]) {
    api.clock.advanceSeconds(seconds);
    await prune(database, api.clock());
    t.equal((await api.get('/v1/employees', accessToken)).statusCode, 401);
  }
  t.equal(await database.prisma.revokedAccessToken.count(), 1, 'kept for processes with a slow clock');
  api.clock.advanceSeconds(32 * day);
  await prune(database, api.clock());
  t.equal(await database.prisma.revokedAccessToken.count(), 0);
  t.equal(await database.prisma.authorizationCode.count({ where: { codeHash: hashOf(code) } }), 0);
  expectOAuthError(t, await refresh(api, scene.application, refreshToken), 'invalid_grant');
  expectOAuthError(t, await api.postForm('/v1/oauth/token', form), 'invalid_grant');
  t.equal((await api.get('/v1/employees', accessToken)).statusCode, 401);
});
