import type { Client } from '@modelcontextprotocol/client';
import { callTool } from '../support/mcp/call-tool.js';
import { listenForMcp } from '../support/mcp/mcp-app.js';
import { connect, textOf } from '../support/mcp/mcp-client.js';
import { createScene, grantTokens } from '../support/oauth/users.js';
import { insertEmployees } from '../support/records/insert-employees.js';
import { createTenant, makeEmployees } from '../support/records/tenant.js';
import t from '../support/tap.js';

const api = await listenForMcp(t);
const scene = await createScene(api.database);
const employees = makeEmployees(5);
const [employeeId = ''] = await insertEmployees(api.database.prisma, scene.accountId, employees);

async function tokenFor(scope: string) {
  return (await grantTokens(api, scene, { scope, resource: `${api.config.baseUrl}/mcp` })).accessToken;
}

const call = (client: Client, name: string, given: Record<string, unknown> = {}) =>
  client.callTool({ name, arguments: given });

const all = 'reports:read reports:write user:read user:write';

for (const [revision, options] of [
  ['the first revisions', {}],
  ['the revision of 2026', { versionNegotiation: { mode: { pin: '2026-07-28' } } }],
] as const) {
  t.test(`every read tool returns what HTTP returns, in ${revision}`, async (t) => {
    const { accessToken: apiToken } = await grantTokens(api, scene, { scope: all });
    const client = await connect(t, api.baseUrl, await tokenFor(all), options);
    const created = await call(client, 'createReport', {
      body: { title: 'By department', group_by: ['department'] },
    });
    const { id } = (created.structuredContent as { data: { id: string } }).data;
    for (const [name, given, url] of [
      ['listEmployees', { page_size: 2, sort: 'last_name' }, '/v1/employees?page[size]=2&sort=last_name'],
      ['listEmployees', { filter_status: 'active,on_leave' }, '/v1/employees?filter[status]=active,on_leave'],
      [
        'listEmployees',
        { filter_department: ['Sales', 'Design, Berlin'], filter_hire_date_gte: '2020-01-01' },
        '/v1/employees?filter[department]=Sales&filter[department]=Design%2C+Berlin&filter[hire_date][gte]=2020-01-01',
      ],
      ['getEmployee', { employee_id: employeeId }, `/v1/employees/${employeeId}`],
      [
        'listEmployeeChanges',
        { employee_id: employeeId, page_size: 2 },
        `/v1/employees/${employeeId}/changes?page[size]=2`,
      ],
      ['listEmployeeAttributes', {}, '/v1/employee_attributes'],
      ['listReports', {}, '/v1/reports'],
      ['getReport', { report_id: id }, `/v1/reports/${id}`],
      ['runReport', { report_id: id, page_size: '10' }, `/v1/reports/${id}/results?page[size]=10`],
      ['listReportColumns', {}, '/v1/report_columns'],
      ['getCurrentUser', {}, '/v1/users/me'],
    ] as const) {
      const result = await call(client, name, given);
      t.notOk(result.isError, `${name} ${textOf(result)}`);
      const { body } = await api.get(url, apiToken);
      t.equal(textOf(result), body);
      t.same(result.structuredContent, JSON.parse(body));
    }
  });
}

t.test('a report is created once for a key, changed, and deleted', async (t) => {
  const client = await connect(t, api.baseUrl, await tokenFor(all));
  const given = { idempotency_key: 'key-1', body: { title: 'Once' } };
  const first = await call(client, 'createReport', given);
  t.equal(textOf(await call(client, 'createReport', given)), textOf(first));
  const { id: report_id } = (first.structuredContent as { data: { id: string } }).data;
  const stale = await call(client, 'updateReport', { report_id, if_match: '"other"', body: { title: 'x' } });
  t.match(textOf(stale), /412 precondition_failed/);
  const changed = await call(client, 'updateReport', { report_id, body: { title: 'Twice' } });
  t.match(changed.structuredContent, { data: { attributes: { title: 'Twice' } } });
  t.same(await call(client, 'deleteReport', { report_id }), {
    content: [{ type: 'text', text: 'Done. The response has no body.' }],
  });
  t.match(textOf(await call(client, 'getReport', { report_id })), /404 not_found/);
});

t.test(
  'a tool whose scope the token lacks is 403 with the scopes to request, and changes nothing',
  async (t) => {
    const token = await tokenFor('reports:read');
    const before = await api.database.prisma.report.count();
    for (const [name, given, scope] of [
      ['createReport', { body: { title: 'x' } }, 'reports:write'],
      ['deleteReport', { report_id: 'x' }, 'reports:write'],
      ['getCurrentUser', {}, 'user:read'],
      ['updateCurrentUser', { body: { given_name: 'x' } }, 'user:write'],
    ] as const) {
      const response = await callTool(api, token, name, given);
      t.equal(response.statusCode, 403, name);
      t.match(response.json(), {
        code: 'insufficient_scope',
        detail: `The access token lacks the scope ${scope}.`,
      });
      t.equal(
        response.headers['www-authenticate'],
        `Bearer realm="People API", error="insufficient_scope", scope="reports:read ${scope}", resource_metadata="${api.baseUrl}/.well-known/oauth-protected-resource/mcp"`,
      );
    }
    t.equal(await api.database.prisma.report.count(), before);
  },
);

t.test('a token with employees:read calls the tools of employees, and no tool of reports', async (t) => {
  const token = await tokenFor('employees:read');
  for (const [name, given] of [
    ['listEmployees', {}],
    ['getEmployee', { employee_id: employeeId }],
    ['listEvents', {}],
  ] as const) {
    const response = await callTool(api, token, name, given);
    t.equal(response.statusCode, 200, name);
    t.notOk(response.json().result.isError, name);
  }
  const rejected = await callTool(api, token, 'listReports');
  t.equal(rejected.statusCode, 403);
  t.match(rejected.headers['www-authenticate'], /scope="employees:read reports:read"/);
});

t.test('invalid input is a tool error that names the argument', async (t) => {
  const client = await connect(t, api.baseUrl, await tokenFor(all));
  for (const [name, given, text] of [
    ['listEmployees', { page_size: 501 }, '- page_size: page[size] must be'],
    // Without the filter, the list would have all employees.
    ['listEmployees', { filter_department: [] }, '- filter_department: filter_department must'],
    ['listEmployees', { page_size: [1] }, '- page_size: page_size must be a string, a number or a boolean'],
    [
      'listEmployees',
      { 'page[size]': 1 },
      'is an unknown argument; valid arguments are page_number, page_size',
    ],
    ['getReport', {}, '- report_id: report_id is required'],
    ['getReport', { report_id: '..' }, '404 not_found'],
    ['getReport', { report_id: '%2e%2e/x' }, '404 not_found'],
    ['runReport', { report_id: '../../users/me?' }, '404 not_found'],
    ['createReport', {}, '400 invalid_request'],
    ['createReport', { body: { title: 7 } }, '- body/title: '],
    ['createReport', { body: '{"title":"x"}' }, '400 invalid_request'],
    ['createReport', { body: { title: 'x' }, idempotency_key: 'a\r\nb' }, '- idempotency_key: '],
  ] as const) {
    const result = await call(client, name, given);
    t.equal(result.isError, true, name);
    t.ok(textOf(result).includes(text), `${name} ${textOf(result)}`);
  }
});

t.test('records of another account are unknown', async (t) => {
  const other = await createTenant(api.database, { employees: makeEmployees(1) });
  const client = await connect(t, api.baseUrl, await tokenFor(all));
  const [employee_id = ''] = other.employeeIds;
  const foreign = await call(client, 'getEmployee', { employee_id });
  const unknown = await call(client, 'getEmployee', { employee_id: 'x' });
  const text = ({ structuredContent }: typeof foreign) => (structuredContent as { detail: string }).detail;
  t.equal(foreign.isError, true);
  t.equal(text(foreign), text(unknown));
  const listed = await call(client, 'listEmployees', { page_size: 500 });
  t.equal((listed.structuredContent as { data: unknown[] }).data.length, employees.length);
});
