import { isDeepStrictEqual } from 'node:util';
import type { LightMyRequestResponse } from 'fastify';
import { type OperationId, type RawOperation, resolve } from '../../src/platform/contract/contract.js';
import { restrictableAttributes } from '../../src/platform/contract/employee-attributes.js';
import { callTool, mcpToken } from '../support/mcp/call-tool.js';
import {
  bodyShownTo,
  type EmployeeBody,
  markedValues,
  markersIn,
  type Resource,
  type Restricted,
  received,
  restrict,
  restrictedSets,
  shownTo,
  storedMarkedValues,
} from '../support/records/attribute-access.js';
import { parseCsv } from '../support/records/reports.js';
import { sendJson } from '../support/records/send-json.js';
import { createApplication, createTenant, makeEmployees } from '../support/records/tenant.js';
import { buildTestApp, contract } from '../support/server/app.js';
import t from '../support/tap.js';

const file = 'test/employees/attribute-access.test.ts';
const api = await buildTestApp(t);
const { prisma } = api.database;

const employees = makeEmployees(6).map((employee, index) => ({ ...employee, ...markedValues(index) }));
const tenant = await createTenant(api.database, { employees });
const { accountId, employeeIds } = tenant;
const [firstId = '', secondId = '', thirdId = '', fourthId = '', , lastId = ''] = employeeIds;

/** Reads everything. */
const everything = await api.token(tenant.application);
await restrict(api, tenant.application, []);

/** The application whose access the tests change, and its tokens. */
const reader = await createApplication(api.database, accountId);
const token = await api.token(reader);
const toolToken = await mcpToken(api, reader);

const change = (id: string, data: object) => prisma.employee.updateMany({ where: { accountId, id }, data });

// Each attribute that an application can be without changes alone, all of them change with another one, and another one changes.
for (const [member, value] of Object.entries(storedMarkedValues(6)))
  await change(firstId, { [member]: value });
await change(secondId, { department: 'Research', ...storedMarkedValues(7) });
await change(thirdId, { status: 'left' });
await prisma.employee.deleteMany({ where: { accountId, id: lastId } });

async function saved(report: object): Promise<string> {
  const body = { title: 'A report', ...report };
  const response = await sendJson(api, { url: '/v1/reports', token: everything, body });
  if (response.statusCode !== 201) throw new Error(response.body);
  return response.json().data.id;
}

const wholeReport = await saved({});
const reports = [
  wholeReport,
  await saved({ columns: [...restrictableAttributes.toReversed(), 'last_name'], sort: ['-last_name'] }),
  await saved({ filters: [{ field: 'status', operator: 'not_eq', value: 'x' }], group_by: ['department'] }),
];

async function readAll(path: string): Promise<EmployeeBody> {
  const response = await api.get(path, everything);
  if (response.statusCode !== 200) throw new Error(`${path}: ${response.body}`);
  return response.json();
}

const feed = (await readAll('/v1/events')).data as readonly Resource[];
const employeeEvents = feed.filter(({ type }) => type.startsWith('employee.'));
const [firstEvent] = employeeEvents;
const otherEvents = employeeEvents.filter(({ type }) => type !== 'employee.created');

/** Requests to each operation that reads employees. */
const paths = new Map<OperationId, readonly string[]>([
  [
    'listEmployees',
    [
      '',
      '?page[size]=2',
      '?page[size]=2&page[number]=2',
      '?page[size]=2&sort=-last_name,email',
      '?filter[updated_since]=2026-01-01T00:00:00Z',
      '?filter[search]=first',
      '?filter[department]=Sales&filter[department]=Research',
      `?filter[id]=${firstId},${secondId}`,
    ].map((query) => `/v1/employees${query}`),
  ],
  // One whose attributes changed alone, one with changes of all, one who never changed, and one who was deleted.
  ['getEmployee', [firstId, secondId, fourthId, lastId].map((id) => `/v1/employees/${id}`)],
  [
    'listEmployeeChanges',
    [firstId, secondId, thirdId, fourthId, lastId].flatMap((id) =>
      ['', '?page[size]=500'].map((query) => `/v1/employees/${id}/changes${query}`),
    ),
  ],
  [
    'runReport',
    reports.flatMap((id) => ['', '?page[size]=2'].map((query) => `/v1/reports/${id}/results${query}`)),
  ],
  ['exportReport', reports.map((id) => `/v1/reports/${id}/results.csv`)],
  ['listReportColumns', ['/v1/report_columns']],
  [
    'listEvents',
    [
      '',
      '?filter[type]=employee.updated',
      '?filter[type]=employee.created,employee.deleted',
      `?page[after]=${firstEvent?.id}`,
    ].map((query) => `/v1/events${query}`),
  ],
  ['getEvent', [firstEvent, ...otherEvents].map((event) => `/v1/events/${event?.id}`)],
]);
const requests = [...paths].flatMap(([id, those]) => those.map((path) => ({ id, path })));

/** Tools that read employees, each with arguments, and the path of {@link paths} that has the same response. */
const calls: readonly (readonly [OperationId, object, string])[] = [
  [
    'listEmployees',
    { page_size: 2, sort: '-last_name,email' },
    '/v1/employees?page[size]=2&sort=-last_name,email',
  ],
  ['getEmployee', { employee_id: firstId }, `/v1/employees/${firstId}`],
  ['listEmployeeChanges', { employee_id: firstId }, `/v1/employees/${firstId}/changes`],
  ['runReport', { report_id: wholeReport }, `/v1/reports/${wholeReport}/results`],
  ['listReportColumns', {}, '/v1/report_columns'],
  ['listEvents', { filter_type: 'employee.updated' }, '/v1/events?filter[type]=employee.updated'],
  ['getEvent', { event_id: firstEvent?.id }, `/v1/events/${firstEvent?.id}`],
];

/** The schemas that a part of the contract refers to, and the properties of all schemas in it. */
function namesWithin(node: unknown, found = new Set<string>()): Set<string> {
  if (typeof node !== 'object' || node === null) return found;
  for (const [key, value] of Object.entries(node)) {
    if (key === 'examples') continue;
    if (key === 'properties') for (const name of Object.keys(value)) found.add(name);
    if (key !== '$ref') namesWithin(value, found);
    else if (!found.has(value)) {
      found.add(value);
      namesWithin(resolve<object>(contract.document, node), found);
    }
  }
  return found;
}

/** Whether a part of the contract can have values of employees, or the names of their attributes. */
function readsEmployees(node: unknown): boolean {
  const names = namesWithin(node);
  const schemas = [
    ...['EmployeeAttributes', 'Employee', 'EmployeeChange', 'Event', 'ReportRow', 'ReportColumn', 'CsvTable'],
  ];
  return (
    restrictableAttributes.some((name) => names.has(name)) ||
    schemas.some((name) => names.has(`#/components/schemas/${name}`))
  );
}

t.test('these tests call every operation and every tool whose responses can have employees', async (t) => {
  const found = [...contract.operations.values()].filter(({ method, path, responses }) => {
    const operation = contract.document.paths[path]?.[method.toLowerCase()] as RawOperation;
    return [...responses.values()].flat().includes('text/csv') || readsEmployees(operation.responses);
  });
  for (const { id, responses } of found) {
    t.ok(paths.has(id), `${id} returns employees: it needs requests in ${file}`);
    const isTool = responses.get(200)?.includes('application/json') === true;
    t.equal(
      calls.some(([name]) => name === id),
      isTool,
      `the tool ${id} returns employees: it needs a call in ${file}`,
    );
  }
  t.same(found.map(({ id }) => id).sort(), [...paths.keys()].sort(), 'no other operation is called');
  const sent = Object.entries(contract.document.webhooks ?? {}).filter(([, item]) => readsEmployees(item));
  t.same(
    sent.map(([name]) => name),
    ['events'],
    'every webhook with employees needs a test as in test/employees/attribute-access-events.test.ts',
  );
});

const unknownEvent = '/v1/events/unknown';

/**
 * A response without the members that differ between applications: cursors and times of changes, and without those that differ
 * between requests.
 */
function comparable(body: EmployeeBody): unknown {
  const omitted = ['links', 'next_cursor', 'updated_at', 'instance', 'request_id'];
  const text = JSON.stringify(body, (name, value) => (omitted.includes(name) ? undefined : value));
  return JSON.parse(text);
}

/** A table without the columns that an application cannot read, and without the times of changes. */
function tableShownTo(csv: string, restricted: Restricted): string[][] {
  const [names = [], ...rows] = parseCsv(csv);
  const hidden: readonly string[] = [...restricted, 'updated_at'];
  return [names, ...rows].map((row) => row.filter((_, index) => !hidden.includes(names[index] ?? '')));
}

/** Responses to an application that reads everything, by path. */
const whole = new Map<string, LightMyRequestResponse>();

/** What is wrong with the response to an application without some attributes; `undefined`: nothing. */
function differenceIn(
  { id, path }: (typeof requests)[number],
  response: LightMyRequestResponse,
  restricted: Restricted,
): string | undefined {
  const leaked = markersIn(received(response)).filter((name) => restricted.includes(name));
  const given = `${path}: ${response.statusCode} ${response.body.slice(0, 1000)}`;
  if (leaked.length > 0) return `values of ${leaked} in ${given}`;
  const full = whole.get(path);
  if (full?.statusCode !== 200) return response.statusCode === full?.statusCode ? undefined : given;
  if (id === 'exportReport') {
    if (response.statusCode !== 200) return given;
    const isRight = isDeepStrictEqual(tableShownTo(response.body, []), tableShownTo(full.body, restricted));
    return isRight ? undefined : given;
  }
  const shown = bodyShownTo(full.json(), restricted);
  if (response.statusCode !== (shown === null ? 404 : 200)) return given;
  const expected = comparable(shown ?? JSON.parse(whole.get(unknownEvent)?.body ?? ''));
  return isDeepStrictEqual(comparable(response.json()), expected) ? undefined : given;
}

t.test(
  'no response has a value or the name of an attribute that the application may not read, and each has all others: any two attributes hidden alone and together, on every path',
  async (t) => {
    for (const path of [...requests.map(({ path }) => path), unknownEvent])
      whole.set(path, await api.get(path, everything));
    for (const [id, those] of paths) {
      if (id === 'listReportColumns') continue;
      const seen = new Set(those.flatMap((path) => markersIn(whole.get(path)?.body ?? '')));
      t.equal(seen.size, restrictableAttributes.length, `${id} has values of each attribute`);
    }
    for (const restricted of restrictedSets) {
      await restrict(api, reader, restricted);
      const differences: string[] = [];
      const bodies = new Map<string, string>();
      for (const request of requests) {
        const response = await api.get(request.path, token);
        bodies.set(request.path, response.body);
        const difference = differenceIn(request, response, restricted);
        if (difference !== undefined) differences.push(difference);
      }
      for (const [name, given, path] of calls) {
        const called = await callTool(api, toolToken, name, given);
        const body = bodies.get(path) ?? '';
        const { content, structuredContent } = called.json().result;
        const isSame = content[0].text === body && isDeepStrictEqual(structuredContent, JSON.parse(body));
        const leaked = markersIn(received(called)).filter((each) => restricted.includes(each));
        if (!isSame || leaked.length > 0) differences.push(`the tool ${name}: ${called.body.slice(0, 1000)}`);
      }
      t.same(
        differences.slice(0, 3),
        [],
        `${differences.length} differences without ${restricted.join(', ') || 'restrictions'}`,
      );
    }
  },
);

t.test(
  'another application of the account that may read all attributes sees them all as before',
  async (t) => {
    await restrict(api, reader, restrictableAttributes);
    for (const { path } of requests) {
      const response = await api.get(path, everything);
      if (response.statusCode === 200) t.equal(response.body, whole.get(path)?.body, path);
      t.notMatch(response.body, '"restricted"', path);
    }
  },
);

t.test('a feed that is read page by page has every event that the application may see, once', async (t) => {
  for (const restricted of [[], ['location'], [...restrictableAttributes]] as Restricted[]) {
    await restrict(api, reader, restricted);
    const seen: string[] = [];
    let next = '/v1/events?page[size]=1';
    for (let more = true; more; ) {
      const page = (await api.get(next, token)).json();
      seen.push(...page.data.map(({ id }: Resource) => id));
      next = page.links.next.slice(page.links.next.indexOf('/v1/'));
      more = page.meta.has_more;
    }
    const expected = feed.filter((event) => shownTo(event, restricted).length > 0);
    t.same(
      seen,
      expected.map(({ id }) => id),
      `without ${restricted}`,
    );
  }
});
