import { authorizeResponses, responseParameters } from '../support/oauth/authorize-responses.js';
import { authorizationRequest, createScene, grantTokens, signedInBrowser } from '../support/oauth/users.js';
import { insertEmployees } from '../support/records/insert-employees.js';
import { sendJson } from '../support/records/send-json.js';
import { createTenant, makeEmployees } from '../support/records/tenant.js';
import { buildTestApp, contract } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
const { prisma } = api.database;

interface FeedPage {
  readonly data: readonly { readonly id: string; readonly type: string }[];
  readonly meta: { readonly has_more: boolean; readonly next_cursor: string };
  readonly links: { readonly next: string };
}

/** An account whose feed has events of employees and of reports, and a token with the scope `employees:read` alone. */
async function setUp() {
  const tenant = await createTenant(api.database, { employees: makeEmployees(2) });
  const { accountId, application } = tenant;
  const full = await api.token(application);
  const addReport = async (title: string) => {
    const created = await sendJson(api, { url: '/v1/reports', token: full, body: { title } });
    return created.json().data.id as string;
  };
  const reportId = await addReport('Headcount');
  const [added = ''] = await insertEmployees(prisma, accountId, makeEmployees(1));
  await prisma.employee.deleteMany({ where: { accountId, id: added } });
  await addReport('Leavers');
  const token = await api.token(application, 'employees:read');
  const feed = async (query: string, bearer = token): Promise<FeedPage> =>
    (await api.get(`/v1/events${query}`, bearer)).json();
  return { ...tenant, full, token, reportId, feed };
}

const typesOf = ({ data }: FeedPage) => data.map(({ type }) => type);

const employeeTypes = ['employee.created', 'employee.created', 'employee.created', 'employee.deleted'];

t.test('a token with employees:read alone reads employees as one with reports:read does', async (t) => {
  const { employeeIds, full, token } = await setUp();
  for (const url of ['/v1/employees?sort=last_name', `/v1/employees/${employeeIds[0]}`]) {
    const response = await api.get(url, token);
    t.equal(response.statusCode, 200, url);
    t.equal(response.body, (await api.get(url, full)).body, url);
  }
});

t.test('a token with employees:read alone is rejected by every operation of reports', async (t) => {
  const { token, reportId } = await setUp();
  const operations = [...contract.operations.values()].filter(({ path }) => path.startsWith('/v1/report'));
  t.ok(operations.length >= 8);
  for (const { id, method, path, body } of operations) {
    const response = await sendJson(api, {
      method: method as 'GET',
      url: path.replace('{report_id}', reportId),
      token,
      body: body === null ? undefined : { title: 'x' },
    });
    t.equal(response.statusCode, 403, id);
    t.match(response.json(), { code: 'insufficient_scope' }, id);
  }
});

t.test('a token with neither scope is rejected, and the challenge names reports:read', async (t) => {
  const { application, employeeIds } = await setUp();
  const token = await api.token(application, 'reports:write user:read');
  for (const path of ['employees', `employees/${employeeIds[0]}`, 'events', 'events/x']) {
    const response = await api.get(`/v1/${path}`, token);
    t.equal(response.statusCode, 403, path);
    t.equal(response.json().detail, 'The access token lacks the scope reports:read.', path);
    t.match(response.headers['www-authenticate'], /scope="reports:read"$/, path);
  }
});

t.test('without reports:read the feed has the events of employees only, and the same cursors', async (t) => {
  const { full, feed } = await setUp();
  const all = await feed('', full);
  t.equal(all.data.length, employeeTypes.length + 2);
  const page = await feed('');
  t.same(typesOf(page), employeeTypes);
  t.same(
    page.data,
    all.data.filter(({ type }) => type.startsWith('employee.')),
  );
  t.same(page.meta, all.meta, 'the cursor is after the skipped events');
});

t.test('without reports:read every page of the feed leads to the next event of an employee', async (t) => {
  const { feed } = await setUp();
  const found: string[] = [];
  let page = await feed('?page[size]=1');
  for (; page.meta.has_more; page = await feed(new URL(page.links.next).search)) found.push(...typesOf(page));
  t.same([...found, ...typesOf(page)], employeeTypes);
});

t.test(
  'without reports:read a filter by types of reports has no events, and the cursor advances',
  async (t) => {
    const { full, feed } = await setUp();
    const { meta } = await feed('', full);
    const reports = await feed('?filter[type]=report.created,report.deleted');
    t.same(reports.data, []);
    t.same(reports.meta, meta);
    t.same(typesOf(await feed('?filter[type]=report.created,employee.deleted')), ['employee.deleted']);
    t.same(typesOf(await feed('?filter[type]=no_such.type')), []);
  },
);

t.test('without reports:read an event of a report is not found, like one that does not exist', async (t) => {
  const { accountId, full, token, feed } = await setUp();
  const { data } = await feed('', full);
  const body = async (id: string) => {
    const response = await api.get(`/v1/events/${id}`, token);
    return { ...response.json(), instance: '', request_id: '' };
  };
  const unknown = await body(`evt_${accountId}_0000zzzz`);
  t.match(unknown, { status: 404, code: 'not_found' });
  for (const event of data) {
    const found = { data: event, instance: '', request_id: '' };
    t.same(await body(event.id), event.type.startsWith('report.') ? unknown : found);
  }
});

t.test('a token with both scopes gets all events, until the application loses reports:read', async (t) => {
  const { accountId, application, full, feed } = await setUp();
  const both = await api.token(application, 'employees:read reports:read');
  t.same(await feed('', both), await feed('', full));
  await prisma.application.updateMany({
    where: { accountId, id: application.id },
    data: { scopes: ['employees:read'] },
  });
  t.same(typesOf(await feed('', both)), employeeTypes);
});

t.test('an administrator can grant employees:read, and a member cannot', async (t) => {
  const scope = 'employees:read';
  const administered = await createScene(api.database, { role: 'admin' });
  const { accessToken } = await grantTokens(api, administered, { scope });
  t.equal((await api.get('/v1/employees', accessToken)).statusCode, 200);
  const scene = await createScene(api.database, { role: 'member' });
  const browser = await signedInBrowser(api, scene.user);
  const response = await browser.open(authorizationRequest(scene, { scope }).url);
  t.equal(responseParameters(t, response, scene.redirectUri).get('error'), 'access_denied');
  t.same(await authorizeResponses(api).codesOf(scene), []);
});
