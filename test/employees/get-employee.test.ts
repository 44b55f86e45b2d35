import { attributesOf } from '../support/records/employee-attributes.js';
import { createTenant, makeEmployees } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);

async function setUp(count: number) {
  const employees = makeEmployees(count);
  const tenant = await createTenant(api.database, { employees });
  return { tenant, employees, token: await api.token(tenant.application) };
}

t.test('returns the employee with each of its attributes', async (t) => {
  const { tenant, employees, token } = await setUp(3);
  for (const [index, employee] of employees.entries()) {
    const id = tenant.employeeIds[index] ?? '';
    const response = await api.get(`/v1/employees/${id}`, token);
    t.same(response.json(), { data: { id, type: 'employees', attributes: attributesOf(employee) } });
  }
});

t.test('rejects query parameters', async (t) => {
  const { tenant, token } = await setUp(1);
  for (const name of ['fields[employees]', 'page[size]', 'x', '__proto__']) {
    const response = await api.get(
      `/v1/employees/${tenant.employeeIds[0]}?${encodeURIComponent(name)}=1`,
      token,
    );
    t.equal(response.statusCode, 400, name);
    t.equal(response.json().code, 'invalid_request');
    t.equal(response.json().errors[0].parameter, name);
  }
});

/** A problem document without the members that differ for each request. */
function essence(body: string) {
  const { instance: _instance, request_id: _requestId, ...rest } = JSON.parse(body);
  return rest;
}

t.test('an unknown, malformed, foreign or deleted id gets the same response', async (t) => {
  const { tenant, token } = await setUp(2);
  const other = await setUp(2);
  const [own = '', deleted = ''] = tenant.employeeIds;
  await api.database.prisma.employee.deleteMany({ where: { id: deleted } });
  const foreign = other.tenant.employeeIds[0] ?? '';
  const candidates = [
    ...[foreign, deleted, tenant.accountId, tenant.application.id, tenant.application.clientId],
    ...[own.toUpperCase(), `${own}0`, own.slice(1), ` ${own}`, `${own} `, `${own}\n`, `${own};`],
    ...[own.replace(/.$/, '*'), `${own.slice(0, 8)}zzzzzzzz`, '\u0000', `${own}\u0000`, `\u0000${own}`],
    ...'unknown a 0 -1 null undefined me % * 😀 é \u202e __proto__ 00000000-0000-0000-0000-000000000000'.split(
      ' ',
    ),
    ...["' OR true --", '0'.repeat(16)],
    ...[255, 256, 1000, 8192, 8193, 9000, 15_000].map((length) => 'x'.repeat(length)),
  ].map((id) => encodeURIComponent(id));

  const reference = await api.get('/v1/employees/unknown', token);
  t.equal(reference.statusCode, 404);
  t.equal(reference.json().code, 'not_found');
  for (const id of ['%2e%2e%2f', ...candidates]) {
    const response = await api.get(`/v1/employees/${id}`, token);
    t.equal(response.statusCode, 404, id);
    t.same(essence(response.body), essence(reference.body), id);
    const { date: _date, 'x-request-id': _id, 'content-length': _length, ...headers } = response.headers;
    const { date: __, 'x-request-id': ___, 'content-length': ____, ...expected } = reference.headers;
    t.same(headers, expected, id);
  }
  t.equal((await api.get(`/v1/employees/${own}`, token)).statusCode, 200);
  t.equal((await api.get(`/v1/employees/${foreign}`, other.token)).statusCode, 200);
});

t.test('rejects an id that is not percent-encoded UTF-8 with 400', async (t) => {
  const { token } = await setUp(0);
  for (const id of ['%ff', '%C3%28', '%ED%A0%80', '%E2%82']) {
    const response = await api.get(`/v1/employees/${id}`, token);
    t.equal(response.statusCode, 400, id);
    t.equal(response.headers['access-control-allow-origin'], '*', id);
    t.equal(response.json().code, 'invalid_request');
  }
});

t.test('no id and an id of several segments match no route', async (t) => {
  const { tenant, token } = await setUp(1);
  for (const path of ['/v1/employees/', `/v1/employees/${tenant.employeeIds[0]}/`, '/v1/employees/a/b']) {
    const response = await api.get(path, token);
    t.equal(response.statusCode, 404, path);
    t.equal(response.json().code, 'public-api-not-found', path);
  }
});

t.test(
  'If-None-Match with the current ETag gets 304 without a body, until the employee changes',
  async (t) => {
    const { tenant, token } = await setUp(2);
    const [id = '', otherId] = tenant.employeeIds;
    const url = `/v1/employees/${id}`;
    const etag = String((await api.get(url, token)).headers.etag);
    t.not((await api.get(`/v1/employees/${otherId}`, token)).headers.etag, etag);
    for (const method of ['GET', 'HEAD'] as const) {
      for (const tags of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const headers = { authorization: `Bearer ${token}`, 'if-none-match': tags };
        const response = await api.app.inject({ method, url, headers });
        t.equal(response.statusCode, 304, `${method} ${tags}`);
        t.equal(response.body, '');
        t.equal(response.headers.etag, etag);
      }
    }
    await api.database.prisma.employee.updateMany({
      where: { accountId: tenant.accountId, id },
      data: { jobTitle: 'Astronaut' },
    });
    const changed = await api.get(url, token, { 'if-none-match': etag });
    t.equal(changed.statusCode, 200);
    t.equal(changed.json().data.attributes.job_title, 'Astronaut');
    t.not(changed.headers.etag, etag);
    t.equal((await api.get(url, token, { 'if-none-match': 'nothing' })).statusCode, 400);
    const stranger = await setUp(0);
    t.equal((await api.get(url, stranger.token, { 'if-none-match': '*' })).statusCode, 404);
  },
);
