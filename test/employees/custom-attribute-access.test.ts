import { isDeepStrictEqual } from 'node:util';
import type { LightMyRequestResponse } from 'fastify';
import { restrictableAttributes } from '../../src/platform/contract/employee-attributes.js';
import { createRandom } from '../support/input/random.js';
import { callTool, mcpToken } from '../support/mcp/call-tool.js';
import {
  bodyShownTo,
  type EmployeeBody,
  markersIn,
  type Resource,
  type Restricted,
  received,
} from '../support/records/attribute-access.js';
import {
  archivedKey,
  customShownTo,
  markedAttributes,
  marksIn,
} from '../support/records/marked-attributes.js';
import { markedPeople } from '../support/records/marked-people.js';
import { sendJson } from '../support/records/send-json.js';
import { createApplication } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
const random = createRandom(20_261_128);
const { accountId, people, changeSome, changeOne, archive, allow } = await markedPeople(api, random);

/** The keys of the attributes that are not archived. */
const activeKeys = markedAttributes.map(({ key }) => key).filter((key) => key !== archivedKey);
const everyKey = [...activeKeys, archivedKey];

for (let number = 0; number < 40; number += 1) await changeSome();
await archive(archivedKey);

/** Reads everything that an application can read. */
const everything = await createApplication(api.database, accountId);
const everythingToken = await api.token(everything);
await allow(everything, { restricted: [], chosen: everyKey });

/** The application whose access the tests change, and its tokens. */
const reader = await createApplication(api.database, accountId);
const token = await api.token(reader);
const toolToken = await mcpToken(api, reader);

interface Access {
  readonly restricted: Restricted;
  /** Keys of custom attributes, known or not. */
  readonly chosen: readonly string[];
}

/** Access to none, to each custom attribute alone, to all, and random ones. */
const accesses: readonly Access[] = [
  { restricted: [], chosen: [] },
  { restricted: restrictableAttributes, chosen: [] },
  { restricted: [], chosen: activeKeys },
  ...everyKey.map((key) => ({ restricted: [], chosen: [key] })),
  ...Array.from({ length: 30 }, () => ({
    restricted: random.chance(0.3) ? [] : restrictableAttributes.filter(() => random.chance(0.4)),
    chosen: [...everyKey, 'kq_absent'].filter(() => random.chance(0.4)),
  })),
];

const named = ({ restricted, chosen }: Access) => `chosen: ${chosen}; restricted: ${restricted}`;

/** The custom attributes that an application with this access must not see. */
const hiddenFrom = ({ chosen }: Access) =>
  everyKey.filter((key) => key === archivedKey || !chosen.includes(key));

async function readAll(path: string): Promise<EmployeeBody> {
  const response = await api.get(path, everythingToken);
  if (response.statusCode !== 200) throw new Error(`${path}: ${response.body}`);
  return response.json();
}

async function saved(report: object): Promise<string> {
  const body = { title: 'A report', ...report };
  const response = await sendJson(api, { url: '/v1/reports', token: everythingToken, body });
  if (response.statusCode !== 201) throw new Error(response.body);
  return response.json().data.id;
}

const reports = [await saved({}), await saved({ group_by: ['department'] })];
const ids = people.map(({ id }) => id);
const feed = (await readAll('/v1/events?page[size]=500')).data as readonly Resource[];
const ofEmployees = feed.filter(({ type }) => type.startsWith('employee.'));
const customOnly = ofEmployees.filter(({ changed = [] }) => changed[0]?.startsWith('custom.'));
const mixed = ofEmployees.filter(
  ({ changed = [] }) => !changed[0]?.startsWith('custom.') && changed.at(-1)?.startsWith('custom.'),
);
const read = [ofEmployees[0], ...customOnly.slice(0, 4), ...mixed.slice(0, 3)];

const pages = [
  '',
  '?page[size]=2',
  '?page[size]=2&page[number]=2',
  '?sort=-last_name,email',
  '?filter[search]=first',
];
const paths: readonly string[] = [
  ...pages.map((query) => `/v1/employees${query}`),
  `/v1/employees?filter[id]=${ids.slice(0, 3)}`,
  ...ids.slice(0, 3).map((id) => `/v1/employees/${id}`),
  ...ids.map((id) => `/v1/employees/${id}/changes?page[size]=500`),
  '/v1/employee_attributes',
  '/v1/events?page[size]=500',
  '/v1/events?page[size]=500&filter[type]=employee.updated',
  ...read.map((event) => `/v1/events/${event?.id}`),
  ...reports.flatMap((id) => [`/v1/reports/${id}/results`, `/v1/reports/${id}/results.csv`]),
  '/v1/report_columns',
];

/** Tools that read employees, each with arguments, and the path of {@link paths} that has the same response. */
const calls: readonly (readonly [string, object, string])[] = [
  ['listEmployees', { page_size: 2 }, '/v1/employees?page[size]=2'],
  ['getEmployee', { employee_id: ids[0] }, `/v1/employees/${ids[0]}`],
  [
    'listEmployeeChanges',
    { employee_id: ids[0], page_size: 500 },
    `/v1/employees/${ids[0]}/changes?page[size]=500`,
  ],
  ['listEmployeeAttributes', {}, '/v1/employee_attributes'],
  ['runReport', { report_id: reports[0] }, `/v1/reports/${reports[0]}/results`],
  ['listReportColumns', {}, '/v1/report_columns'],
  ['listEvents', { page_size: 500 }, '/v1/events?page[size]=500'],
  ['getEvent', { event_id: read[1]?.id }, `/v1/events/${read[1]?.id}`],
];

/** Responses to the application that reads everything, by path. */
const whole = new Map<string, LightMyRequestResponse>();
for (const path of [...paths, '/v1/events/unknown']) whole.set(path, await api.get(path, everythingToken));

/** A response without the members that differ between requests, and between applications in employees. */
function comparable(body: unknown, path: string): unknown {
  const omitted = ['links', 'next_cursor', 'instance', 'request_id'];
  if (!path.startsWith('/v1/events')) omitted.push('updated_at');
  const text = JSON.stringify(body, (name, value) => (omitted.includes(name) ? undefined : value));
  return JSON.parse(text);
}

/** The response that the application must get. */
function expectedAt(path: string, { restricted, chosen }: Access): { statusCode: number; body: unknown } {
  const full = whole.get(path)?.json();
  const body = customShownTo(
    full,
    chosen.filter((key) => key !== archivedKey || chosen.length > 0),
  );
  if (path === '/v1/employee_attributes') {
    const data = (body.data as readonly Resource[]).map((resource) => {
      const isHidden = (restricted as readonly string[]).includes(resource.id);
      return { ...resource, attributes: { ...resource.attributes, restricted: isHidden } };
    });
    return { statusCode: 200, body: { data, meta: { record_count: data.length } } };
  }
  const isGone = Array.isArray(body.data) && !Array.isArray(full.data);
  const shown = isGone ? null : bodyShownTo(body, restricted);
  if (shown === null) return { statusCode: 404, body: whole.get('/v1/events/unknown')?.json() };
  return { statusCode: 200, body: shown };
}

/** What is wrong with the response to an application; `undefined`: nothing. */
function differenceIn(path: string, response: LightMyRequestResponse, access: Access): string | undefined {
  const text = received(response);
  const leaked = [
    ...marksIn(text).filter((key) => hiddenFrom(access).includes(key)),
    ...markersIn(text).filter((name) => access.restricted.includes(name)),
  ];
  const given = `${path}: ${response.statusCode} ${response.body.slice(0, 1500)}`;
  if (leaked.length > 0) return `values of ${leaked} in ${given}`;
  // Reports can have columns of custom attributes. Their rows are compared in test/employees/attribute-access.test.ts.
  if (path.startsWith('/v1/report')) return response.statusCode === 200 ? undefined : given;
  const expected = expectedAt(path, access);
  if (response.statusCode !== expected.statusCode) return given;
  const isSame = isDeepStrictEqual(comparable(response.json(), path), comparable(expected.body, path));
  return isSame ? undefined : given;
}

t.test(
  'an application that may read all custom attributes reads what is stored, except archived ones',
  async (t) => {
    const { data } = await readAll('/v1/employees?page[size]=100');
    const values = (data as readonly Resource[]).map(({ attributes }) => attributes?.custom);
    const stored = people.map(({ custom: { [archivedKey]: _, ...active } }) => active);
    t.same(values, stored);
    t.ok(people.some(({ custom }) => archivedKey in custom));
    t.same(marksIn(JSON.stringify(data)).sort(), activeKeys.toSorted(), 'there are values of each one');
    t.ok(customOnly.length >= 4 && mixed.length >= 3, 'there are events of both kinds');
    t.ok(feed.length < 500);
  },
);

t.test(
  'no response has the key or a value of a custom attribute that the application may not read, and each has the others',
  async (t) => {
    for (const access of accesses) {
      await allow(reader, access);
      const differences: string[] = [];
      const bodies = new Map<string, string>();
      for (const path of paths) {
        const response = await api.get(path, token);
        bodies.set(path, response.body);
        const difference = differenceIn(path, response, access);
        if (difference !== undefined) differences.push(difference);
      }
      for (const [name, given, path] of calls) {
        const called = await callTool(api, toolToken, name, given);
        const leaked = marksIn(received(called)).filter((key) => hiddenFrom(access).includes(key));
        const { content, isError } = called.json().result;
        const isSame = isError === true || content[0].text === bodies.get(path);
        if (!isSame || leaked.length > 0) differences.push(`the tool ${name}: ${called.body.slice(0, 1000)}`);
      }
      t.same(differences.slice(0, 2), [], `${differences.length} differences, ${named(access)}`);
    }
  },
);

t.test(
  'updated_at is the last change that the application may read, also in filters and orders',
  async (t) => {
    for (const access of accesses) {
      await allow(reader, access);
      const seen = people.map((person) => ({ id: person.id, at: person.seenAt(access) }));
      const times = seen.map(({ at }) => at.getTime()).sort((one, other) => one - other);
      const [from, to] = [1, 4].map((index) => new Date(times[index] ?? 0)) as [Date, Date];
      const listed = async (query: string): Promise<readonly Resource[]> =>
        (await api.get(`/v1/employees?${query}`, token)).json().data;
      const idsOf = (found: readonly { id: string }[]) => found.map(({ id }) => id);
      const label = named(access);
      t.same(
        (await listed('')).map(({ id, attributes }) => ({
          id,
          at: new Date(String(attributes?.updated_at)),
        })),
        seen,
        label,
      );
      const later = idsOf(seen.filter(({ at }) => at >= from));
      t.same(idsOf(await listed(`filter[updated_since]=${from.toISOString()}`)), later, label);
      t.same(
        idsOf(
          await listed(
            `filter[updated_at][gte]=${from.toISOString()}&filter[updated_at][lt]=${to.toISOString()}`,
          ),
        ),
        idsOf(seen.filter(({ at }) => at >= from && at < to)),
        label,
      );
      const latest = seen.toSorted((one, other) => other.at.getTime() - one.at.getTime());
      t.same(idsOf(await listed('sort=-updated_at')), idsOf(latest), label);
    }
  },
);

t.test(
  'a change of only hidden custom attributes changes nothing that the application receives',
  async (t) => {
    const seenBy = async () => {
      const responses = [];
      for (const path of [
        ...paths,
        '/v1/employees?sort=-updated_at',
        '/v1/employees?filter[updated_since]=2026-03-01T00:00:00Z',
      ]) {
        const { body, headers } = await api.get(path, token);
        // The cursor of the end of the feed moves with every event.
        const shown = path.startsWith('/v1/events?')
          ? JSON.parse(body).data
          : body.replace(/"request_id":"[^"]*"/, '');
        responses.push([path, shown, headers.etag]);
      }
      return responses;
    };
    for (const access of random.some(accesses, 16)) {
      const hidden = activeKeys.filter((key) => !access.chosen.includes(key));
      if (hidden.length === 0) continue;
      await allow(reader, access);
      const before = await seenBy();
      for (const key of random.some(hidden, 2)) await changeOne(random.pick(people.slice(0, 3)), key);
      t.same(await seenBy(), before, named(access));
    }
  },
);

t.test(
  'a change of a custom attribute that the application may read is one event, and changes the ETag',
  async (t) => {
    for (const key of activeKeys) {
      const [person] = people;
      if (person === undefined) throw new Error('There is no employee');
      await allow(reader, { restricted: [], chosen: [key] });
      const path = `/v1/employees/${person.id}`;
      const before = await api.get(path, token);
      const { meta } = (await api.get('/v1/events?page[size]=500', token)).json();
      await changeOne(person, key);
      const after = await api.get(path, token);
      t.not(after.headers.etag, before.headers.etag);
      const { data } = (await api.get(`/v1/events?page[after]=${meta.next_cursor}`, token)).json();
      t.same(
        data.map(({ changed }: Resource) => changed),
        [[`custom.${key}`]],
      );
      t.same(data[0].resource.attributes, after.json().data.attributes);
    }
  },
);
