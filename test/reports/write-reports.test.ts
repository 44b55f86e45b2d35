import { createScene, grantTokens } from '../support/oauth/users.js';
import { columnKeys } from '../support/records/naive-report.js';
import { createReportClient, refused } from '../support/records/reports.js';
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

t.test('createReport rejects every malformed member by its pointer', async (t) => {
  const { create, tenant } = await createReportClient(api);
  const filter = (changes: object) => ({
    title: 'x',
    filters: [{ field: 'status', operator: 'eq', value: 'active', ...changes }],
  });
  const cases: [string, object, string[]][] = [
    ['no title', {}, ['/title']],
    ['an empty title', { title: '' }, ['/title']],
    ['a long title', { title: 'x'.repeat(256) }, ['/title']],
    ['a title that is not a string', { title: 1 }, ['/title']],
    ['a title of null', { title: null }, ['/title']],
    ['NUL', { title: 'a\u0000b' }, ['/title']],
    ['half a surrogate pair', { title: '\ud800' }, ['/title']],
    [
      'NUL in a member with / and ~ in its name',
      { title: 'x', 'a/b~c~1d': ['y', '\u0000'] },
      ['/a~1b~0c~01d/1'],
    ],
    ['NUL in a name', { title: 'x', 'a/b': { '\u0000': 1 } }, ['/a~1b/?']],
    ['1,001 items in an unknown member', { title: 'x', 'a/b': { c: Array(1_001).fill(1) } }, ['/a~1b/c']],
    ['1,000 items in an unknown member', { title: 'x', 'a/b': { c: Array(1_000).fill(1) } }, ['/a~1b']],
    ['a long description', { title: 'x', description: 'x'.repeat(2001) }, ['/description']],
    ['an unknown member', { title: 'x', colums: ['id'] }, ['/colums']],
    ['a read-only member', { title: 'x', created_at: '2026-01-01T00:00:00Z' }, ['/created_at']],
    ['an unknown column', { title: 'x', columns: ['id', 'salary'] }, ['/columns/1']],
    ['no columns', { title: 'x', columns: [] }, ['/columns']],
    ['an unknown group', { title: 'x', group_by: ['salary'] }, ['/group_by/0']],
    ['count as a group', { title: 'x', group_by: ['count'] }, ['/group_by/0']],
    ['three groups', { title: 'x', group_by: ['id', 'status', 'email'] }, ['/group_by']],
    ['columns of a grouped report', { title: 'x', columns: ['id'], group_by: ['status'] }, ['/columns']],
    ['an unknown sort', { title: 'x', sort: ['last_name', 'salary'] }, ['/sort/1']],
    ['six sort keys', { title: 'x', sort: columnKeys.slice(0, 6) }, ['/sort']],
    ['count in a list', { title: 'x', sort: ['-count'] }, ['/sort/0']],
    ['a sort beside the groups', { title: 'x', sort: ['count', 'email'], group_by: ['status'] }, ['/sort/1']],
    [
      'a filter without a field',
      { title: 'x', filters: [{ operator: 'eq', value: 'x' }] },
      ['/filters/0/field'],
    ],
    ['an unknown field', filter({ field: 'salary' }), ['/filters/0/field']],
    ['an unknown operator', filter({ operator: 'like' }), ['/filters/0/operator']],
    ['a filter with more', filter({ extra: 1 }), ['/filters/0/extra']],
    ['a number as value', filter({ value: 5 }), ['/filters/0/value']],
    ['null as value', filter({ value: null }), ['/filters/0/value']],
    ['a list for eq', filter({ value: ['a'] }), ['/filters/0/value']],
    ['a list for contains', filter({ operator: 'contains', value: ['a'] }), ['/filters/0/value']],
    ['one value for in', filter({ operator: 'in' }), ['/filters/0/value']],
    ['an empty list', filter({ operator: 'in', value: [] }), ['/filters/0/value']],
    [
      'contains for a timestamp',
      filter({ field: 'updated_at', operator: 'contains', value: '2026' }),
      ['/filters/0/operator'],
    ],
    ...[
      ...[
        '2026-01-01',
        'yesterday',
        '',
        '2026-02-29T00:00:00Z',
        '2026-01-01T00:00:00',
        '0000-01-01T00:00:00Z',
      ],
      ...[
        '2026-01-01T23:59:60Z',
        '2026-01-01T24:00:00Z',
        '9999-12-31T23:59:59-01:00',
        '2026-13-01T00:00:00Z',
      ],
      ...['0001-01-01T00:00:00+01:00', "2026-01-01T00:00:00Z'; --", '2026-01-01 00:00:00Z'],
    ].map((value): [string, object, string[]] => [
      `the timestamp ${value}`,
      filter({ field: 'updated_at', value }),
      ['/filters/0/value'],
    ]),
    [
      'one invalid timestamp of several',
      filter({ field: 'updated_at', operator: 'in', value: ['2026-01-01T00:00:00Z', 'x'] }),
      ['/filters/0/value/1'],
    ],
    [
      '21 filters',
      { title: 'x', filters: Array.from({ length: 21 }, () => filter({}).filters[0]) },
      ['/filters'],
    ],
    [
      'several validation errors',
      {
        title: 'x',
        columns: ['id'],
        group_by: ['status'],
        sort: ['id'],
        filters: [{ field: 'id', operator: 'in', value: 'x' }],
      },
      ['/columns', '/filters/0/value'],
    ],
  ];
  for (const [label, body, pointers] of cases) {
    const response = await create(body);
    t.equal(response.statusCode, 400, label);
    refused(t, response, 'invalid_request', pointers, label);
  }
  for (const body of [[], null, 'x', 1]) {
    t.equal((await create(body as unknown as object)).statusCode, 400, JSON.stringify(body));
  }
  t.equal(await prisma.report.count({ where: { accountId: tenant.accountId } }), 0);
  t.same(await events(tenant.accountId), []);
});

t.test('createReport rejects a body that is not an object', async (t) => {
  const { token } = await createReportClient(api);
  const post = (payload: string, headers: Record<string, string>) =>
    api.app.inject({
      method: 'POST',
      url: '/v1/reports',
      payload,
      headers: { authorization: `Bearer ${token}`, ...headers },
    });
  const json = { 'content-type': 'application/json' };
  t.equal((await post('{"title":', json)).statusCode, 400);
  t.equal((await post('', json)).statusCode, 400);
  const untyped = await api.app.inject({
    method: 'POST',
    url: '/v1/reports',
    headers: { authorization: `Bearer ${token}` },
  });
  t.equal(untyped.statusCode, 400);
  t.equal(untyped.json().detail, 'A body of type application/json is required.');
  t.equal((await post('title=x', { 'content-type': 'application/x-www-form-urlencoded' })).statusCode, 415);
  t.equal((await post('{"title":"x"}', { 'content-type': 'text/plain' })).statusCode, 415);
  t.equal(
    (await post('{"title":"x"}', { 'content-type': 'application/json; charset=utf-8' })).statusCode,
    201,
  );
  const large = await post(JSON.stringify({ title: 'x', description: 'y'.repeat(65_536) }), json);
  t.equal(large.statusCode, 413);
  refused(t, large, 'payload_too_large');
});

t.test('every operation requires a token with its scope', async (t) => {
  const { tenant, saved } = await createReportClient(api);
  const id = await saved({ title: 'x' });
  const reader = await api.token(tenant.application, 'reports:read user:read user:write');
  const writer = await api.token(tenant.application, 'reports:write user:read user:write');
  const operations: [string, string, string][] = [
    ['GET', '/v1/reports', 'reports:read'],
    ['POST', '/v1/reports', 'reports:write'],
    ['GET', `/v1/reports/${id}`, 'reports:read'],
    ['PATCH', `/v1/reports/${id}`, 'reports:write'],
    ['DELETE', `/v1/reports/${id}`, 'reports:write'],
    ['GET', `/v1/reports/${id}/results`, 'reports:read'],
    ['GET', '/v1/report_columns', 'reports:read'],
  ];
  for (const [method, url, scope] of operations) {
    const label = `${method} ${url}`;
    // Both are rejected before the body is validated.
    const payload =
      method === 'POST' || method === 'PATCH'
        ? { payload: '{', headers: { 'content-type': 'application/json' } }
        : {};
    const inject = (token?: string) =>
      api.app.inject({
        method: method as 'GET',
        url,
        ...payload,
        headers: { ...payload.headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
      });
    t.equal((await inject()).statusCode, 401, label);
    const response = await inject(scope === 'reports:read' ? writer : reader);
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

t.test('If-Match guards changes and deletions', async (t) => {
  const { create, send } = await createReportClient(api);
  const created = await create({ title: 'x' });
  const url = `/v1/reports/${created.json().data.id}`;
  const etag = String(created.headers.etag);
  const withEnd = (end: string) => etag.replace(/"$/, `${end}"`);
  const stale = [
    ...['"nothing"', 'W/"nothing"', '"a", "b"', withEnd('0'), `W/${withEnd('0-gzip')}`],
    ...['-', '-other', 'gzip', '-gzip-gzip', '-gzip0', '.0-gzip', ',gzip'].map(withEnd),
  ];
  for (const method of ['PATCH', 'DELETE'] as const) {
    const body = method === 'PATCH' ? { title: 'y' } : undefined;
    for (const tags of stale) {
      const response = await send(method, url, body, { 'if-match': tags });
      t.equal(response.statusCode, 412, `${method} ${tags}`);
      refused(t, response, 'precondition_failed');
    }
    for (const malformed of ['nothing', '"', '', '*,"a"', '"a" "b"']) {
      const response = await send(method, url, body, { 'if-match': malformed });
      t.equal(response.statusCode, 400, `${method} ${malformed}`);
      t.equal(response.json().errors[0].header, 'if-match');
    }
  }
  t.equal((await send('GET', url)).headers.etag, etag);
  t.equal((await send('PATCH', url, { title: 'y' }, { 'if-match': `"other",${etag}` })).statusCode, 200);
  t.equal((await send('PATCH', url, { title: 'z' }, { 'if-match': etag })).statusCode, 412);
  t.equal((await send('PATCH', url, { title: 'z' }, { 'if-match': '*' })).statusCode, 200);
  t.equal((await send('PATCH', '/v1/reports/unknown', { title: 'z' }, { 'if-match': '*' })).statusCode, 404);
  const { etag: current } = (await send('GET', url)).headers;
  t.equal((await send('DELETE', url, undefined, { 'if-match': String(current) })).statusCode, 204);
});

t.test('a tag that a compressing proxy has changed matches its version, and no other', async (t) => {
  const { create, send } = await createReportClient(api);
  const created = await create({ title: 'x' });
  const url = `/v1/reports/${created.json().data.id}`;
  const changed = [
    (etag: string) => `W/${etag}`,
    ...['-gzip', ';gzip', '--gzip', '-br', '-zstd', '-deflate'].flatMap((end) => {
      const append = (etag: string) => etag.replace(/"$/, `${end}"`);
      return [append, (etag: string) => `"other", W/${append(etag)}`];
    }),
  ];
  let etag = String(created.headers.etag);
  for (const change of changed) {
    const tag = change(etag);
    t.equal((await send('GET', url, undefined, { 'if-none-match': tag })).statusCode, 304, tag);
    const updated = await send('PATCH', url, { title: tag }, { 'if-match': tag });
    t.equal(updated.statusCode, 200, tag);
    t.equal((await send('PATCH', url, { title: 'y' }, { 'if-match': tag })).statusCode, 412, `later: ${tag}`);
    t.equal((await send('GET', url, undefined, { 'if-none-match': tag })).statusCode, 200, `later: ${tag}`);
    etag = String(updated.headers.etag);
  }
  t.equal((await send('DELETE', url, undefined, { 'if-match': `W/${etag}` })).statusCode, 204);
});

t.test(
  'one of several concurrent changes with the same If-Match succeeds, and all of them without',
  async (t) => {
    const { create, send, tenant } = await createReportClient(api);
    const created = await create({ title: 'x' });
    const url = `/v1/reports/${created.json().data.id}`;
    const race = (headers: Record<string, string>) =>
      Promise.all(Array.from({ length: 8 }, (_, n) => send('PATCH', url, { title: `t${n}` }, headers)));
    const guarded = await race({ 'if-match': String(created.headers.etag) });
    t.same(guarded.map(({ statusCode }) => statusCode).sort(), [200, ...Array(7).fill(412)]);
    const free = await race({});
    t.same(
      free.map(({ statusCode }) => statusCode),
      Array(8).fill(200),
    );
    t.equal(new Set(free.map(({ headers }) => headers.etag)).size, 8);
    t.equal((await events(tenant.accountId)).length, 10);
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
  for (const unknown of [id, 'unknown', 'x'.repeat(255), '%F0%9F%98%80', '%00', 'x'.repeat(3000)]) {
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
  const headers = { authorization: `Bearer ${accessToken}` };
  const created = await api.app.inject({
    method: 'POST',
    url: '/v1/reports',
    headers,
    payload: { title: 'Mine' },
  });
  const { id } = created.json().data;
  const url = `/v1/reports/${id}`;
  await api.app.inject({ method: 'PATCH', url, headers, payload: { title: 'Ours' } });
  const row = await prisma.report.findFirstOrThrow({ where: { id } });
  t.equal(row.createdByUserId, scene.user.id);
  t.equal(row.createdByApplicationId, scene.application.id);
  await api.app.inject({ method: 'DELETE', url, headers });
  const found = await events(scene.accountId);
  t.same(found.map(({ type }) => type).sort(), ['report.created', 'report.deleted', 'report.updated']);
  for (const { userId, applicationId, requestId, details } of found) {
    t.equal(userId, scene.user.id);
    t.equal(applicationId, scene.application.id);
    t.ok(requestId);
    t.equal((details as { report: string }).report, id);
  }
});

t.test('a repeated Idempotency-Key gets the first response byte for byte', async (t) => {
  const { create, send, tenant } = await createReportClient(api);
  const headers = { 'idempotency-key': 'key 1' };
  const first = await create({ title: 'é', filters: [], sort: ['id'] }, headers);
  t.equal(first.statusCode, 201);
  const url = `/v1/reports/${first.json().data.id}`;
  await send('PATCH', url, { title: 'other' });
  await send('DELETE', url);
  api.clock.advanceSeconds(24 * 3600 - 1);
  const token = await api.token(tenant.application);
  const again = await create(
    { sort: ['id'], title: 'é', filters: [] },
    { ...headers, authorization: `Bearer ${token}` },
  );
  t.equal(again.statusCode, 201);
  t.equal(again.body, first.body);
  for (const name of ['location', 'etag', 'content-type', 'content-length']) {
    t.equal(again.headers[name], first.headers[name], name);
  }
  t.equal(await prisma.report.count({ where: { accountId: tenant.accountId } }), 0);
  const other = await create({ title: 'f' }, { ...headers, authorization: `Bearer ${token}` });
  t.equal(other.statusCode, 422);
  refused(t, other, 'idempotency_key_reused');
  api.clock.advanceSeconds(1);
  const later = await create({ title: 'f' }, { ...headers, authorization: `Bearer ${token}` });
  t.equal(later.statusCode, 201);
  t.equal(later.json().data.attributes.title, 'f');
});

t.test('a rejected request does not consume its Idempotency-Key', async (t) => {
  const { create } = await createReportClient(api);
  const headers = { 'idempotency-key': 'k' };
  t.equal((await create({ title: 'x', sort: ['count'] }, headers)).statusCode, 400);
  t.equal((await create({ title: 'x' }, headers)).statusCode, 201);
  for (const key of ['', 'ä', 'x'.repeat(256)]) {
    const response = await create({ title: 'x' }, { 'idempotency-key': key });
    t.equal(response.statusCode, 400, key);
    t.equal(response.json().errors[0].header, 'idempotency-key');
  }
});
