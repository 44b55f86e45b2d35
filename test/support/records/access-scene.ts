import { isDeepStrictEqual } from 'node:util';
import type { LightMyRequestResponse } from 'fastify';
import { restrictableAttributes } from '../../../src/platform/contract/employee-attributes.js';
import type { Random } from '../input/random.js';
import { callTool, mcpToken } from '../mcp/call-tool.js';
import type { TestApp } from '../server/app.js';
import {
  bodyShownTo,
  type EmployeeBody,
  markersIn,
  type Resource,
  type Restricted,
  received,
} from './attribute-access.js';
import { archivedKey, customShownTo, markedAttributes, marksIn } from './marked-attributes.js';
import { markedPeople } from './marked-people.js';
import { sendJson } from './send-json.js';
import { createApplication } from './tenant.js';

/** What an application may read. */
export interface Access {
  readonly restricted: Restricted;
  /** Keys of custom attributes, known or not. */
  readonly chosen: readonly string[];
}

export const accessName = ({ chosen, restricted }: Access) => `chosen: ${chosen}; restricted: ${restricted}`;

export const everyKey = markedAttributes.map(({ key }) => key);

/** The keys of the attributes that are not archived. */
export const activeKeys = everyKey.filter((key) => key !== archivedKey);

/** An access to random attributes, also to a key that no attribute has. */
export const randomAccess = (random: Random): Access => ({
  restricted: restrictableAttributes.filter(() => random.chance(0.4)),
  chosen: [...everyKey, 'kq_absent'].filter(() => random.chance(0.4)),
});

/** The custom attributes that an application with this access must not see. */
const hiddenFrom = ({ chosen }: Access) =>
  everyKey.filter((key) => key === archivedKey || !chosen.includes(key));

/** What a response shows of attributes that an application with this access must not see. */
function leakedIn(response: LightMyRequestResponse, access: Access): string[] {
  const text = received(response);
  return [
    ...marksIn(text).filter((key) => hiddenFrom(access).includes(key)),
    ...markersIn(text).filter((name) => access.restricted.includes(name)),
  ];
}

/** A response without the members that differ between requests, and between applications in employees. */
function comparable(body: unknown, path: string): unknown {
  const omitted = ['links', 'next_cursor', 'instance', 'request_id'];
  if (!path.startsWith('/v1/events')) omitted.push('updated_at');
  const text = JSON.stringify(body, (name, value) => (omitted.includes(name) ? undefined : value));
  return JSON.parse(text);
}

/**
 * Employees with marked values of every attribute, their changes and reports, an application that reads everything, and one whose
 * access tests change.
 */
export async function accessScene(api: TestApp, random: Random) {
  const { accountId, people, changeSome, changeOne, archive, allow } = await markedPeople(api, random);
  for (let number = 0; number < 40; number += 1) await changeSome();
  await archive(archivedKey);

  const everything = await createApplication(api.database, accountId);
  const everythingToken = await api.token(everything);
  await allow(everything, { restricted: [], chosen: everyKey });
  const reader = await createApplication(api.database, accountId);
  const token = await api.token(reader);
  const toolToken = await mcpToken(api, reader);

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
  const events = [ofEmployees[0], ...customOnly.slice(0, 4), ...mixed.slice(0, 3)];
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
    ...events.map((event) => `/v1/events/${event?.id}`),
    ...reports.flatMap((id) => [`/v1/reports/${id}/results`, `/v1/reports/${id}/results.csv`]),
    '/v1/report_columns',
  ];
  /** Tools that read employees, each with arguments, and the path of `paths` that has the same response. */
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
    ['getEvent', { event_id: events[1]?.id }, `/v1/events/${events[1]?.id}`],
  ];

  /** Responses to the application that reads everything, by path. */
  const whole = new Map<string, LightMyRequestResponse>();
  for (const path of [...paths, '/v1/events/unknown']) whole.set(path, await api.get(path, everythingToken));

  /** The response that an application with this access must get. */
  function expectedAt(path: string, { restricted, chosen }: Access): { statusCode: number; body: unknown } {
    const full = whole.get(path)?.json();
    const body = customShownTo(full, chosen);
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

  return {
    people,
    changeOne,
    readAll,
    paths,
    calls,
    /** The whole feed, and its events that name only custom attributes, or others before them. */
    ...{ feed, customOnly, mixed },
    /** Lets the application read attributes, from its next request on. */
    allow: (access: Access) => allow(reader, access),
    get: (path: string) => api.get(path, token),
    /** What is wrong with the response to the application; `undefined`: nothing. */
    differenceIn(path: string, response: LightMyRequestResponse, access: Access): string | undefined {
      const given = `${path}: ${response.statusCode} ${response.body.slice(0, 1500)}`;
      const leaked = leakedIn(response, access);
      if (leaked.length > 0) return `values of ${leaked} in ${given}`;
      // Reports can have columns of custom attributes. Their rows are compared in test/employees/attribute-access.test.ts.
      if (path.startsWith('/v1/report')) return response.statusCode === 200 ? undefined : given;
      const expected = expectedAt(path, access);
      if (response.statusCode !== expected.statusCode) return given;
      const isSame = isDeepStrictEqual(comparable(response.json(), path), comparable(expected.body, path));
      return isSame ? undefined : given;
    },
    /** What is wrong with the result of a tool, which has the same text as a response; `undefined`: nothing. */
    async differenceOfCall(
      [name, given, path]: (typeof calls)[number],
      access: Access,
    ): Promise<string | undefined> {
      const called = await callTool(api, toolToken, name, given);
      const { content, isError } = called.json().result;
      const isSame = isError === true || content[0].text === (await api.get(path, token)).body;
      if (isSame && leakedIn(called, access).length === 0) return undefined;
      return `the tool ${name}: ${called.body.slice(0, 1000)}`;
    },
  };
}
