import { openTestDatabase } from '../support/database/database.js';
import { bearerCalls } from '../support/oauth/bearer-calls.js';
import { createApplication, createTenant } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const database = await openTestDatabase(t);
const api = await buildTestApp(t, { database });
const { setUp, call, goodClaims, signed } = bearerCalls(api);

t.test('a scope that the application loses is removed from its tokens at once', async (t) => {
  const { token, application } = await setUp();
  t.equal((await call(`Bearer ${token}`)).statusCode, 200);
  await database.prisma.application.updateMany({
    where: { id: application.id },
    data: { scopes: ['user:read'] },
  });
  t.equal((await call(`Bearer ${token}`)).statusCode, 403);
  await database.prisma.application.updateMany({
    where: { id: application.id },
    data: { scopes: ['reports:read'] },
  });
  t.equal((await call(`Bearer ${token}`)).statusCode, 200);
});

t.test('a scope that the application gains later is not added to existing tokens', async (t) => {
  const { accountId } = await createTenant(database);
  const application = await createApplication(database, accountId, { scopes: ['user:read'] });
  const token = await api.token(application);
  await database.prisma.application.updateMany({
    where: { id: application.id },
    data: { scopes: ['user:read', 'reports:read'] },
  });
  t.equal((await call(`Bearer ${token}`)).statusCode, 403);
});

t.test('rejects a token without the scopes with 403 that names them', async (t) => {
  const { application } = await setUp();
  for (const [url, method, scope] of [
    ['/v1/employees', 'GET', 'reports:read'],
    ['/v1/employees/unknown', 'GET', 'reports:read'],
    ['/v1/employee_attributes', 'GET', 'reports:read'],
    ['/v1/reports', 'GET', 'reports:read'],
    ['/v1/reports', 'POST', 'reports:write'],
    ['/v1/reports/unknown', 'DELETE', 'reports:write'],
    ['/v1/report_columns', 'GET', 'reports:read'],
    ['/v1/users/me', 'GET', 'user:read'],
    ['/v1/users/me', 'PATCH', 'user:write'],
    ['/v1/webhook_endpoints', 'POST', 'reports:read webhooks:write'],
  ] as const) {
    const others = ['reports:read', 'reports:write', 'user:read', 'user:write'].filter(
      (name) => !scope.split(' ').includes(name),
    );
    const token = await api.token(application, others.join(' '));
    const response = await api.app.inject({ method, url, headers: { authorization: `Bearer ${token}` } });
    const label = `${method} ${url}`;
    t.equal(response.statusCode, 403, label);
    const problem = response.json();
    t.equal(problem.code, 'insufficient_scope');
    t.equal(problem.title, 'Insufficient Scope');
    t.equal(problem.type, 'http://api.test/errors/insufficient-scope');
    t.equal(problem.detail, `The access token lacks the scope ${scope}.`, label);
    const challenge = String(response.headers['www-authenticate']);
    t.match(challenge, /^Bearer realm="[^"]+", error="insufficient_scope", /);
    t.ok(challenge.includes(`scope="${scope}"`), challenge);
  }
});

t.test('compares scopes by their whole name', async (t) => {
  const { application } = await setUp();
  for (const scope of [
    'reports',
    'reports:readx',
    'xreports:read',
    'reports:read,user:read',
    'REPORTS:READ',
    '',
    '*',
  ]) {
    const response = await call(`Bearer ${await signed({ ...goodClaims(application), scope })}`);
    t.equal(response.statusCode, 403, scope);
  }
});
