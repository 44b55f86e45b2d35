import { createScene, grantTokens } from '../support/oauth/users.js';
import { columnKeys } from '../support/records/naive-report.js';
import { createReportClient, refused } from '../support/records/reports.js';
import { sendJson } from '../support/records/send-json.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
const { prisma } = api.database;

const events = (accountId: string) =>
  prisma.auditEvent.findMany({
    where: { accountId, type: { startsWith: 'report.' } },
    orderBy: [{ createdAt: 'asc' }],
  });

t.test('createReport with a title alone stores every column of every employee', async (t) => {
  const { create, send } = await createReportClient(api);
  const response = await create({ title: 'All' });
  t.equal(response.statusCode, 201);
  const { data } = response.json();
  const at = api.clock().toISOString();
  t.same(data.attributes, {
    title: 'All',
    description: null,
    columns: columnKeys,
    filters: [],
    sort: [],
    group_by: [],
    measures: [],
    created_at: at,
    updated_at: at,
  });
  t.equal(response.headers.location, `http://api.test/v1/reports/${data.id}`);
  t.match(response.headers.etag, /^"[!#-~]+"$/);
  const read = await send('GET', `/v1/reports/${data.id}`);
  t.same(read.json(), response.json());
  t.equal(read.headers.etag, response.headers.etag);
});

t.test('createReport stores every member of the body', async (t) => {
  const { create, send } = await createReportClient(api);
  const list = {
    title: 'ü "quoted" 😀',
    description: '',
    columns: ['last_name', 'id', 'updated_at'],
    filters: [
      { field: 'department', operator: 'eq', value: 'Engineering' },
      { field: 'status', operator: 'not_in', value: ['inactive', 'terminated'] },
      {
        field: 'updated_at',
        operator: 'in',
        value: ['2026-02-28T23:59:59.999+14:00', '2024-02-29T00:00:00z'],
      },
      { field: 'email', operator: 'contains', value: '' },
    ],
    sort: ['-last_name', 'id'],
    group_by: [],
  };
  const grouped = {
    title: 'x'.repeat(255),
    description: 'd'.repeat(2000),
    filters: [],
    sort: ['-count', 'department'],
    group_by: ['department', 'status'],
  };
  for (const [given, columns] of [
    [list, list.columns],
    [grouped, []],
  ] as const) {
    const response = await create(given);
    t.equal(response.statusCode, 201, response.body);
    t.match(response.json().data.attributes, { ...given, columns });
    t.same((await send('GET', `/v1/reports/${response.json().data.id}`)).json(), response.json());
  }
});

t.test('every operation requires a token with its scope', async (t) => {
  const { tenant, saved } = await createReportClient(api);
  const id = await saved({ title: 'x' });
  const reader = await api.token(tenant.application, 'reports:read user:read user:write');
  const writer = await api.token(tenant.application, 'reports:write user:read user:write');
  const operations: ['GET' | 'POST' | 'PATCH' | 'DELETE', string, string][] = [
    ['GET', '/v1/reports', 'reports:read'],
    ['POST', '/v1/reports', 'reports:write'],
    ['GET', `/v1/reports/${id}`, 'reports:read'],
    ['PATCH', `/v1/reports/${id}`, 'reports:write'],
    ['DELETE', `/v1/reports/${id}`, 'reports:write'],
    ['GET', `/v1/reports/${id}/results`, 'reports:read'],
    ['GET', `/v1/reports/${id}/results.csv`, 'reports:read'],
    ['GET', '/v1/report_columns', 'reports:read'],
  ];
  for (const [method, url, scope] of operations) {
    const label = `${method} ${url}`;
    // Both are rejected before the body is validated.
    const body = { headers: { 'content-type': 'application/json' }, payload: '{' };
    const { headers, ...payload } = method === 'POST' || method === 'PATCH' ? body : { headers: {} };
    const inject = (authorization = '') =>
      api.app.inject({ method, url, ...payload, headers: { ...headers, authorization } });
    t.equal((await inject()).statusCode, 401, label);
    const response = await inject(`Bearer ${scope === 'reports:read' ? writer : reader}`);
    t.equal(response.statusCode, 403, label);
    refused(t, response, 'insufficient_scope');
    t.match(response.json().detail, scope);
    t.match(response.headers['www-authenticate'], `scope="${scope}"`);
  }
});

t.test('updateReport changes the members that are sent, and no other', async (t) => {
  const { create, send } = await createReportClient(api);
  const created = await create({ title: 'One', description: 'd', columns: ['id', 'email'], sort: ['-id'] });
  const { id, attributes } = created.json().data;
  api.clock.advanceSeconds(5);
  const response = await send('PATCH', `/v1/reports/${id}`, { title: 'Two' });
  t.equal(response.statusCode, 200);
  const changed = { ...attributes, title: 'Two', updated_at: api.clock().toISOString() };
  t.same(response.json().data.attributes, changed);
  t.not(response.headers.etag, created.headers.etag);
  const read = await send('GET', `/v1/reports/${id}`);
  t.equal(read.headers.etag, response.headers.etag);
  t.same(read.json(), response.json());
  t.equal(
    (await send('PATCH', `/v1/reports/${id}`, { description: null })).json().data.attributes.description,
    null,
  );
});

t.test('updateReport replaces columns with group_by and the reverse', async (t) => {
  const { saved, send } = await createReportClient(api);
  const id = await saved({ title: 'x', columns: ['id'] });
  const patch = async (body: object) => {
    const response = await send('PATCH', `/v1/reports/${id}`, body);
    if (response.statusCode !== 200) return response;
    const { columns, group_by, sort } = response.json().data.attributes;
    return { columns, group_by, sort };
  };
  t.same(await patch({ group_by: [] }), { columns: ['id'], group_by: [], sort: [] });
  t.same(await patch({ group_by: ['status'], sort: ['-count'] }), {
    columns: [],
    group_by: ['status'],
    sort: ['-count'],
  });
  refused(t, (await patch({ columns: ['email'] })) as never, 'invalid_request', ['/sort/0']);
  t.same(await patch({ columns: ['email'], sort: ['id'] }), {
    columns: ['email'],
    group_by: [],
    sort: ['id'],
  });
  refused(t, (await patch({ group_by: ['status'] })) as never, 'invalid_request', ['/sort/0']);
  refused(t, (await patch({ columns: ['id'], group_by: ['id'] })) as never, 'invalid_request', ['/columns']);
  t.same(await patch({ group_by: ['id', 'email'] }), {
    columns: [],
    group_by: ['id', 'email'],
    sort: ['id'],
  });
  t.same(await patch({ group_by: [] }), { columns: columnKeys, group_by: [], sort: ['id'] });
  refused(t, (await patch({})) as never, 'invalid_request', ['']);
  refused(t, (await patch({ id: 'x' })) as never, 'invalid_request', ['/id']);
});

t.test(
  'one of several concurrent changes with the same If-Match succeeds, and all of them without',
  async (t) => {
    const { create, send, tenant } = await createReportClient(api);
    const created = await create({ title: 'x' });
    const url = `/v1/reports/${created.json().data.id}`;
    const race = (headers: Record<string, string>) =>
      Promise.all(Array.from({ length: 4 }, (_, n) => send('PATCH', url, { title: `t${n}` }, headers)));
    const guarded = await race({ 'if-match': String(created.headers.etag) });
    t.same(guarded.map(({ statusCode }) => statusCode).sort(), [200, ...Array(3).fill(412)]);
    const free = await race({});
    t.same(
      free.map(({ statusCode }) => statusCode),
      Array(4).fill(200),
    );
    t.equal(new Set(free.map(({ headers }) => headers.etag)).size, 4);
    t.equal((await events(tenant.accountId)).length, 6);
    const deletions = await Promise.all(Array.from({ length: 4 }, () => send('DELETE', url)));
    t.same(deletions.map(({ statusCode }) => statusCode).sort(), [204, 404, 404, 404]);
  },
);

t.test('deleteReport deletes the report and its count', async (t) => {
  const { saved, send } = await createReportClient(api);
  const [id] = [await saved({ title: 'x' }), await saved({ title: 'y' })];
  const response = await send('DELETE', `/v1/reports/${id}`);
  t.equal(response.statusCode, 204);
  t.equal(response.body, '');
  for (const [method, path, body] of [
    ['GET', '', undefined],
    ['GET', '/results', undefined],
    ['PATCH', '', { title: 'z' }],
    ['DELETE', '', undefined],
  ] as const) {
    refused(t, await send(method, `/v1/reports/${id}${path}`, body), 'not_found');
  }
  t.equal((await send('GET', '/v1/reports')).json().meta.record_count, 1);
});

t.test('a malformed, unknown or foreign id is not found', async (t) => {
  const ours = await createReportClient(api);
  const theirs = await createReportClient(api);
  const id = await theirs.saved({ title: 'secret' });
  for (const unknown of [id, 'unknown', '%F0%9F%98%80', '%00', 'x'.repeat(3000)]) {
    const url = `/v1/reports/${unknown}`;
    const responses = [
      await ours.send('GET', url),
      await ours.send('GET', `${url}/results`),
      await ours.send('GET', `${url}/results.csv`),
      await ours.send('PATCH', url, { title: 'mine' }),
      await ours.send('PATCH', url, { title: 'mine' }, { 'if-match': '"1"' }),
      await ours.send('DELETE', url),
    ];
    t.same(
      responses.map(({ statusCode }) => statusCode),
      Array(6).fill(404),
      unknown.slice(0, 40),
    );
    t.ok(responses.every((response) => response.json().code === 'not_found'));
  }
  t.equal((await theirs.send('GET', `/v1/reports/${id}`)).json().data.attributes.title, 'secret');
  t.same((await ours.send('GET', '/v1/reports')).json().data, []);
});

t.test('the audit log and the record have the application and the user of each change', async (t) => {
  const scene = await createScene(api.database);
  const { accessToken } = await grantTokens(api, scene, { scope: 'reports:read reports:write' });
  const send = (method: 'POST' | 'PATCH' | 'DELETE', url: string, body?: object) =>
    sendJson(api, { method, url, token: accessToken, body });
  const { id } = (await send('POST', '/v1/reports', { title: 'Mine' })).json().data;
  const url = `/v1/reports/${id}`;
  await send('PATCH', url, { title: 'Ours' });
  const row = await prisma.report.findFirstOrThrow({ where: { id } });
  t.equal(row.createdByUserId, scene.user.id);
  t.equal(row.createdByApplicationId, scene.application.id);
  await send('DELETE', url);
  const found = await events(scene.accountId);
  t.same(found.map(({ type }) => type).sort(), ['report.created', 'report.deleted', 'report.updated']);
  for (const { userId, applicationId, requestId, details } of found) {
    t.equal(userId, scene.user.id);
    t.equal(applicationId, scene.application.id);
    t.ok(requestId);
    t.equal((details as { report: string }).report, id);
  }
});
