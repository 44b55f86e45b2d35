import { type GivenAttribute, givenAttributes } from '../../src/features/employees/employee-attributes.js';
import { restrictableAttributes } from '../../src/platform/contract/employee-attributes.js';
import { createRandom, type Random } from '../support/input/random.js';
import { type Restricted, restrict, restrictedSets } from '../support/records/attribute-access.js';
import { addressOf, ids as idsOf, naive, type Query } from '../support/records/employee-list.js';
import {
  type Known,
  knownEmployees,
  type Reader,
  seenBy,
  shownAttributes,
} from '../support/records/known-employees.js';
import { asShown, evaluate, type NaiveDefinition } from '../support/records/naive-report.js';
import { buildTestApp } from '../support/server/app.js';
import t, { type Test } from '../support/tap.js';

const api = await buildTestApp(t);
const random = createRandom(61);

/** Some attributes that can be restricted are readable for the first application, none for the second. */
const sets: readonly Restricted[] = [random.pick(restrictedSets.slice(1, -1)), restrictableAttributes];
const scene = await knownEmployees(api, sets, 6);
const { people, readers, read } = scene;

const addressOfEmployee = ({ record }: Known) => `/v1/employees/${record.id}`;

/** A value that no employee has had. */
function newValue({ name, type }: GivenAttribute, number: number): string {
  if (type === 'date') return new Date(Date.UTC(2000, 0, 1 + number)).toISOString().slice(0, 10);
  return name === 'email' ? `new${number}@tenant.example` : `${name} ${number}`;
}

/** Another manager than before, so that no chain of managers is a circle: one who comes earlier in the list, or none. */
function newManager({ record }: Known, random: Random): string | null {
  const current = record.managerId ?? null;
  const earlier = people.slice(
    0,
    people.findIndex((other) => other.record.id === record.id),
  );
  const choice: (string | null)[] = [...earlier.map((other) => other.record.id), null];
  return random.pick(choice.filter((id) => id !== current));
}

/** Changes these attributes of an employee, or one attribute of several employees. Returns whom it changed. */
async function changeSome(attributes: readonly GivenAttribute[], number: number): Promise<readonly Known[]> {
  // The first one has no manager, and is that of others.
  const start = 1 + random.upTo(people.length - 1);
  const [attribute] = attributes;
  const isForOne = (name = '') => name === 'employee_number' || name === 'manager_id';
  if (attribute !== undefined && attributes.length === 1 && !isForOne(attribute.name) && random.chance(0.3)) {
    const chosen = people.slice(start - 1);
    await scene.updateAll(chosen, attribute, newValue(attribute, number));
    return chosen;
  }
  const chosen = people.slice(start, start + 1);
  for (const known of chosen) {
    const values = attributes.map((each) => {
      const value = each.name === 'manager_id' ? newManager(known, random) : newValue(each, number);
      return [each.name, value] as const;
    });
    await scene.update(known, Object.fromEntries(values));
  }
  return chosen;
}

const newest = await scene.saved({ columns: ['id', 'updated_at'], sort: ['-updated_at'] });

/** Responses that every change makes different that an application sees. */
const watched = [
  '/v1/employees',
  '/v1/employees?sort=-updated_at&page[size]=2',
  `/v1/reports/${newest}/results?page[size]=2`,
  `/v1/reports/${newest}/results.csv`,
];

const middle = new Date(api.clock().getTime() + 20_000).toISOString();
const definitions: readonly NaiveDefinition[] = [
  {
    columns: ['email', 'updated_at'],
    sort: ['updated_at'],
    filters: [{ field: 'updated_at', operator: 'on_or_after', value: middle }],
  },
  { columns: ['email'], sort: ['-updated_at'] },
  { group_by: ['updated_at'] },
];
const reports: { id: string; definition: NaiveDefinition }[] = [];
for (const definition of definitions) reports.push({ id: await scene.saved(definition), definition });

interface Version {
  readonly body: string;
  readonly etag: string | undefined;
}

/** What an application has read, and its cursor in the feed. */
interface Observer {
  readonly reader: Reader;
  readonly versions: Map<string, Version>;
  cursor: string;
}

async function versionOf(reader: Reader, path: string): Promise<Version> {
  const { body, headers } = await read(reader, path);
  return { body, etag: headers.etag === undefined ? undefined : String(headers.etag) };
}

async function observe(reader: Reader): Promise<Observer> {
  const versions = new Map<string, Version>();
  for (const path of [...watched, ...people.map(addressOfEmployee)])
    versions.set(path, await versionOf(reader, path));
  return { reader, versions, cursor: (await read(reader, '/v1/events')).json().meta.next_cursor };
}

/** Which responses are different although the application sees none of the changes, or the same although it sees one. */
async function wrongVersions(
  { reader, versions }: Observer,
  changed: readonly Known[],
  isHidden: boolean,
): Promise<string[]> {
  const wrong: string[] = [];
  const own = changed.map(addressOfEmployee);
  for (const path of [...watched, ...own]) {
    const before = versions.get(path);
    const after = await versionOf(reader, path);
    versions.set(path, after);
    const isSame = after.body === before?.body && after.etag === before.etag;
    const isOther = after.body !== before?.body && (after.etag === undefined || after.etag !== before?.etag);
    if (isHidden ? !isSame : !isOther) wrong.push(`${path} was ${before?.body} and is ${after.body}`);
    if (before?.etag === undefined) continue;
    const { statusCode } = await api.get(path, reader.token, { 'if-none-match': before.etag });
    if ((statusCode === 304) !== isHidden) wrong.push(`${path} is ${statusCode} for its earlier version`);
  }
  return wrong;
}

/** Expects that lists and reports have the employees at the times of the last changes that the application sees. */
async function expectTimes(t: Test, reader: Reader, since: Query, label: string): Promise<void> {
  const visible = people.map((known) => seenBy(known, reader.restricted));
  const { 'filter[updated_at][lt]': now = '' } = since;
  for (const query of [since, { 'filter[updated_since]': now }, { sort: 'updated_at' }] as Query[]) {
    const page = (await read(reader, addressOf(query))).json();
    const expected = naive(visible, query).map(({ id }) => id);
    t.same(
      [idsOf(page), page.meta.record_count],
      [expected, expected.length],
      `${JSON.stringify(query)}: ${label}`,
    );
  }
  const shown = visible.map((employee) => asShown(employee, employee.id));
  for (const { id, definition } of reports) {
    const { data } = (await read(reader, `/v1/reports/${id}/results`)).json();
    const rows = data.map(({ attributes }: { attributes: object }) => Object.entries(attributes));
    const today = api.clock().toISOString().slice(0, 10);
    t.same(rows, evaluate(shown, definition, today), `${JSON.stringify(definition)}: ${label}`);
  }
}

const alone = random.some(givenAttributes, givenAttributes.length).map((attribute) => [attribute]);
const mixed = Array.from({ length: 4 }, () => random.some(givenAttributes, 1 + random.upTo(4)));

t.test(
  'a change of attributes that an application may not read leaves its responses as they were, byte for byte, and every other change shows in all of them',
  async (t) => {
    const observers: Observer[] = [];
    for (const reader of readers) observers.push(await observe(reader));
    let hidden = 0;
    for (const [number, attributes] of [...alone, ...mixed].entries()) {
      const before = api.clock().toISOString();
      api.clock.advanceSeconds(1 + random.upTo(3));
      const changed = await changeSome(attributes, number);
      const now = api.clock().toISOString();
      for (const observer of observers) {
        const { reader, versions, cursor } = observer;
        const forbidden: readonly string[] = reader.restricted;
        const names = givenAttributes
          .filter((attribute) => attributes.includes(attribute))
          .map(({ name }) => name);
        const readable = names.filter((name) => !forbidden.includes(name));
        const isHidden = readable.length === 0;
        const label = `${names} of ${changed.length}, without ${forbidden}`;
        if (isHidden) hidden += 1;
        t.same(await wrongVersions(observer, changed, isHidden), [], label);
        const shown = changed.map((known) => shownAttributes(known, reader.restricted));
        const records = changed.map(
          (known) => JSON.parse(versions.get(addressOfEmployee(known))?.body ?? '{}').data,
        );
        t.same(
          records.map(({ attributes }) => attributes),
          shown,
          `attributes: ${label}`,
        );
        const since = { 'filter[updated_at][gte]': before, 'filter[updated_at][lt]': now };
        await expectTimes(t, reader, { ...since, sort: '-updated_at' }, label);
        const { data, meta } = (await read(reader, `/v1/events?page[after]=${cursor}`)).json();
        observer.cursor = meta.next_cursor;
        t.same(
          data.map(({ changed, resource }: { changed: string[]; resource: { attributes: object } }) => ({
            changed,
            attributes: resource.attributes,
          })),
          isHidden ? [] : shown.map((attributes) => ({ changed: readable, attributes })),
          `events: ${label}`,
        );
      }
    }
    t.ok(hidden > 5, `${hidden} changes were hidden from an application`);
  },
);

t.test(
  'updated_at is the time of the last change of an attribute that the application may read',
  async (t) => {
    const [reader] = readers;
    if (reader === undefined) throw new Error('There is no application');
    for (const restricted of restrictedSets) {
      await restrict(api, reader.application, restricted);
      const { data } = (await read(reader, '/v1/employees')).json();
      t.same(
        data.map(({ attributes }: { attributes: object }) => attributes),
        people.map((known) => shownAttributes(known, restricted)),
        `without ${restricted}`,
      );
      await expectTimes(
        t,
        { ...reader, restricted },
        { 'filter[updated_at][lt]': middle },
        `without ${restricted}`,
      );
    }
  },
);
