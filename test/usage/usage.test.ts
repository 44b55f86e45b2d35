import type { UsageReader } from '../../src/features/usage/usage-reader.js';
import { openTestDatabase } from '../support/database/database.js';
import { withForeignKeys } from '../support/database/foreign-keys.js';
import { createScene, grantTokens, refresh, revoke } from '../support/oauth/users.js';
import { insertEmployees } from '../support/records/insert-employees.js';
import { makeEmployees } from '../support/records/tenant.js';
import { ever, usageOfCallers } from '../support/records/usage.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const database = await openTestDatabase(t);
const api = await buildTestApp(t, { database });
/** Another process. */
const other = await buildTestApp(t, { database, clock: api.clock });
const { reader, createCaller, usageOf } = usageOfCallers(api);

t.test('counts calls by operation, with the records in their responses', async (t) => {
  const caller = await createCaller({ employees: 12 });
  const { send, employeeIds } = caller;
  for (const [url, records] of [
    ['/v1/employees', 12],
    ['/v1/employees?page[size]=10', 10],
    ['/v1/employees?page[size]=10&page[number]=2', 2],
    ['/v1/employees?page[size]=10&page[number]=3', 0],
    ['/v1/employees?page[size]=7', 7],
    ['/v1/employees?page[size]=5&sort=last_name', 5],
    ['/v1/employees?filter[status]=none', 0],
  ] as const) {
    const response = await send('GET', url);
    t.equal(response.json().data.length, records, url);
  }
  for (const id of employeeIds.slice(0, 3)) await send('GET', `/v1/employees/${id}`);
  await send('HEAD', '/v1/employees');
  await send('HEAD', `/v1/employees/${employeeIds[0]}`);
  await send('GET', `/v1/employees/${employeeIds[0]}/changes`);
  await send('GET', '/v1/employee_attributes');
  t.same(await usageOf(caller), {
    createToken: [1, 0, 0, 0],
    listEmployees: [8, 0, 0, 36],
    getEmployee: [4, 0, 0, 3],
    listEmployeeChanges: [1, 0, 0, 1],
    listEmployeeAttributes: [1, 0, 0, 0],
  });
});

t.test('counts reports, their rows and their columns', async (t) => {
  const caller = await createCaller({ employees: 12 });
  const { send } = caller;
  const { id } = (await send('POST', '/v1/reports', { title: 'a' })).json().data;
  await send('POST', '/v1/reports', { title: 'b' });
  await send('GET', '/v1/reports');
  await send('GET', `/v1/reports/${id}`);
  await send('PATCH', `/v1/reports/${id}`, { title: 'c' });
  await send('GET', `/v1/reports/${id}/results?page[size]=5`);
  await send('GET', `/v1/reports/${id}/results.csv`);
  await send('GET', '/v1/report_columns');
  await send('DELETE', `/v1/reports/${id}`);
  t.same(await usageOf(caller), {
    createToken: [1, 0, 0, 0],
    createReport: [2, 0, 0, 2],
    listReports: [1, 0, 0, 2],
    getReport: [1, 0, 0, 1],
    updateReport: [1, 0, 0, 1],
    runReport: [1, 0, 0, 5],
    exportReport: [1, 0, 0, 12],
    listReportColumns: [1, 0, 0, 0],
    deleteReport: [1, 0, 0, 0],
  });
});

t.test('counts calls for a user separately from those of the application itself', async (t) => {
  const scene = await createScene(database, { clientType: 'confidential' });
  const tokens = await grantTokens(api, scene);
  await insertEmployees(database.prisma, scene.accountId, makeEmployees(2));
  await api.get('/v1/users/me', tokens.accessToken);
  await api.get('/v1/employees', tokens.accessToken);
  await api.get('/v1/employees', await api.token(scene.application));
  await api.usage.flush();
  const rows = await database.prisma.apiUsage.findMany({
    where: { applicationId: scene.application.id },
    orderBy: [{ operation: 'asc' }, { userId: 'asc' }],
  });
  t.same(
    rows.map(({ accountId, operation, userId, calls, records }) => {
      return [accountId, operation, userId, Number(calls), Number(records)];
    }),
    [
      [scene.accountId, 'createToken', '', 2, 0],
      [scene.accountId, 'getCurrentUser', scene.user.id, 1, 1],
      [scene.accountId, 'listEmployees', '', 1, 2],
      [scene.accountId, 'listEmployees', scene.user.id, 1, 2],
    ],
  );
});

t.test('counts rejected calls of every status as errors, without records', async (t) => {
  const caller = await createCaller({ employees: 3, scopes: ['reports:read'] });
  const { send, token, application } = caller;
  for (const [method, url, status] of [
    ['GET', '/v1/employees?colour=red', 400],
    ['GET', '/v1/employees/unknown', 404],
    ['POST', '/v1/reports', 403],
    ['GET', '/v1/users/me', 403],
  ] as const) {
    const response = await send(method, url, method === 'POST' ? { title: 'x' } : undefined);
    t.equal(response.statusCode, status, url);
  }
  const { clientId: client_id, clientSecret: client_secret } = application;
  const form = { client_id, client_secret };
  const grant = { grant_type: 'client_credentials', scope: 'user:write', ...form };
  t.equal((await api.postForm('/v1/oauth/token', grant)).statusCode, 400);
  t.equal((await refresh(api, application, 'unknown', { client_secret })).statusCode, 401);
  t.equal((await revoke(api, application, token, { client_secret })).statusCode, 200);
  t.equal((await send('GET', '/v1/employees')).json().code, 'invalid_token', 'a revoked token');
  t.same(await usageOf(caller), {
    createToken: [3, 2, 0, 0],
    revokeToken: [1, 0, 0, 0],
    listEmployees: [2, 2, 0, 0],
    getEmployee: [1, 1, 0, 0],
    createReport: [1, 1, 0, 0],
    getCurrentUser: [1, 1, 0, 0],
  });
});

t.test('counts calls with an expired or revoked token for its application and user', async (t) => {
  const scene = await createScene(database);
  const [expired, revoked] = [await grantTokens(api, scene), await grantTokens(api, scene)];
  await revoke(api, scene.application, revoked.accessToken);
  t.equal((await api.get('/v1/employees', revoked.accessToken)).json().code, 'invalid_token');
  api.clock.advanceSeconds(3600);
  // One process has the token in its cache, the other does not.
  for (const one of [api, other]) {
    t.equal((await one.get('/v1/employees', expired.accessToken)).json().code, 'token_expired');
    await one.usage.flush();
  }
  const where = { applicationId: scene.application.id, operation: 'listEmployees' };
  const rows = await database.prisma.apiUsage.findMany({ where });
  t.same(
    rows.map(({ userId, errors }) => [userId, Number(errors)]).toSorted(),
    [
      [scene.user.id, 1],
      [scene.user.id, 2],
    ],
    'in two hours',
  );
});

t.test('counts nothing for an application that an invalid token or secret names', async (t) => {
  const caller = await createCaller();
  const { token, application } = caller;
  const before = await usageOf(caller);
  const [header, payload, signature] = token.split('.');
  const forged = [
    `${header}.${payload}.${signature?.slice(0, -4)}AAAA`,
    `${Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')}.${payload}.`,
  ];
  for (const bearer of [undefined, 'nonsense', ...forged]) {
    t.equal((await api.get('/v1/employees', bearer)).statusCode, 401);
  }
  const form = {
    grant_type: 'client_credentials',
    client_id: application.clientId,
    client_secret: 'wrong',
  };
  t.equal((await api.postForm('/v1/oauth/token', form)).statusCode, 401);
  t.equal((await revoke(api, application, token, { client_secret: 'wrong' })).statusCode, 401);
  t.equal((await api.get('/v1/nowhere', token)).statusCode, 404);
  t.same(await usageOf(caller), before);
  t.same(await reader.rejectedRequestsOf(caller.accountId, application.id), []);
});

t.test('counts calls beyond the limit, whether the database or the memory rejects them', async (t) => {
  const environment = { RATE_LIMIT_API: '2' };
  const [first, second] = [
    await buildTestApp(t, { database, environment }),
    await buildTestApp(t, { database, environment }),
  ];
  const caller = await createCaller({ employees: 3 }, first);
  // The second process learns from the database that the application is at its limit.
  const expected = [
    [first, 200],
    [first, 200],
    [first, 429],
    [second, 429],
    [second, 429],
    [first, 429],
  ] as const;
  for (const [one, status] of expected) {
    t.equal((await one.get('/v1/employees', caller.token)).statusCode, status);
  }
  await second.usage.flush();
  t.same((await usageOf(caller, first)).listEmployees, [6, 0, 4, 6]);
});

t.test('counts token requests beyond the limit of a client', async (t) => {
  const limited = await buildTestApp(t, { database, environment: { RATE_LIMIT_TOKEN: '1' } });
  const caller = await createCaller({}, limited);
  await t.rejects(limited.token(caller.application), /rate_limit_exceeded/);
  t.same(await usageOf(caller, limited), { createToken: [2, 0, 1, 0] });
});

t.test('counts a call in the hour of its end', async (t) => {
  const one = await buildTestApp(t, { database });
  const caller = await createCaller({}, one);
  const { accountId, application } = caller;
  one.clock.advanceSeconds(3599);
  await caller.send('GET', '/v1/employees');
  one.clock.advanceSeconds(1);
  const token = await one.token(application);
  await one.get('/v1/employees', token);
  await one.get('/v1/employees', token);
  one.clock.advanceSeconds(15 * 3600);
  await one.token(application);
  await one.usage.flush();
  const seen = async (range: Parameters<UsageReader['usageOf']>[2]) =>
    (await reader.usageOf(accountId, application.id, range)).map(({ start, operation, calls }) => {
      return `${start.toISOString()} ${operation} ${calls}`;
    });
  t.same(await seen(ever), [
    '2026-03-01T09:00:00.000Z createToken 1',
    '2026-03-01T09:00:00.000Z listEmployees 1',
    '2026-03-01T10:00:00.000Z createToken 1',
    '2026-03-01T10:00:00.000Z listEmployees 2',
    '2026-03-02T01:00:00.000Z createToken 1',
  ]);
  t.same(await seen({ ...ever, per: 'day' }), [
    '2026-03-01T00:00:00.000Z createToken 2',
    '2026-03-01T00:00:00.000Z listEmployees 3',
    '2026-03-02T00:00:00.000Z createToken 1',
  ]);
  const from = new Date('2026-03-01T10:00:00Z');
  const to = new Date('2026-03-02T01:00:00Z');
  t.same(await seen({ from, to }), [
    '2026-03-01T10:00:00.000Z createToken 1',
    '2026-03-01T10:00:00.000Z listEmployees 2',
  ]);
  t.match(await reader.usageByOperationOf(accountId, application.id, { from, to }), [
    { operation: 'createToken', calls: 1, errors: 0, rateLimited: 0, records: 0 },
    { operation: 'listEmployees', calls: 2 },
  ]);
});

t.test('does not show usage of an application of another account', async (t) => {
  const [own, foreign] = [await createCaller(), await createCaller()];
  await foreign.send('GET', '/v1/employees/unknown');
  await api.usage.flush();
  for (const id of [foreign.application.id, 'unknown']) {
    t.same(await reader.usageOf(own.accountId, id, ever), [], id);
    t.same(await reader.usageByOperationOf(own.accountId, id, ever), [], id);
    t.same(await reader.rejectedRequestsOf(own.accountId, id), [], id);
  }
  t.equal((await reader.rejectedRequestsOf(foreign.accountId, foreign.application.id)).length, 1);
});

t.test('adds up the counts of several processes, also when they store them concurrently', async (t) => {
  const apis = [api, other] as const;
  const callers = await Promise.all(Array.from({ length: 4 }, () => createCaller({ employees: 1 })));
  for (let round = 0; round < 2; round += 1) {
    await Promise.all(
      apis.map(async (one, index) => {
        // In another order.
        for (const { token } of index === 0 ? callers : callers.toReversed())
          await one.get('/v1/employees', token);
      }),
    );
    await Promise.all(apis.map((one) => one.usage.flush()));
  }
  for (const caller of callers) t.same((await usageOf(caller)).listEmployees, [4, 0, 0, 4]);
});

t.test('stores the remaining counts when the server closes', async (t) => {
  const one = await buildTestApp(t, { database });
  const caller = await createCaller({}, one);
  await caller.send('GET', '/v1/employees');
  await one.app.close();
  t.same(await usageOf(caller), { createToken: [1, 0, 0, 0], listEmployees: [1, 0, 0, 0] });
});

async function callTwice({ send }: Awaited<ReturnType<typeof createCaller>>): Promise<void> {
  await send('GET', '/v1/employees');
  await send('GET', '/v1/employees/unknown');
}

t.test('keeps the counts of a deleted application, and those of others', async (t) => {
  const [kept, other] = [await createCaller(), await createCaller()];
  await api.usage.flush();
  for (const caller of [kept, other]) await callTwice(caller);
  await database.prisma.application.deleteMany({ where: { id: kept.application.id } });
  for (const caller of [kept, other]) {
    t.match(await usageOf(caller), { listEmployees: [1, 0, 0, 0], getEmployee: [1, 1, 0, 0] });
    t.equal((await reader.rejectedRequestsOf(caller.accountId, caller.application.id)).length, 1);
  }
});

t.test('deletes the counts of a deleted account only', withForeignKeys, async (t) => {
  const [gone, other] = [await createCaller(), await createCaller()];
  await api.usage.flush();
  for (const caller of [gone, other]) await callTwice(caller);
  await database.prisma.account.delete({ where: { id: gone.accountId } });
  t.same(await usageOf(gone), {});
  t.match(await usageOf(other), { listEmployees: [1, 0, 0, 0], getEmployee: [1, 1, 0, 0] });
});
