import type { CustomValue } from '../../src/features/employees/index.js';
import { restrictableAttributes } from '../../src/platform/contract/employee-attributes.js';
import { testServer } from '../support/database/database.js';
import { createRandom } from '../support/input/random.js';
import { markersIn, type Restricted, received } from '../support/records/attribute-access.js';
import { defineAttributes } from '../support/records/custom-attributes.js';
import { type Change, changeReader, changesPath } from '../support/records/employee-changes.js';
import { archivedKey, markedAttributes, marksIn } from '../support/records/marked-attributes.js';
import { createApplication, createTenant, makeEmployees } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t, { recorded: false });
const { prisma } = api.database;
const random = createRandom(28_11);

type Value = CustomValue | null;

/** Values by attribute, in the order of the list. */
type Values = ReadonlyMap<string, Value>;

/** Attributes that each employee has a value of, and the values that can be stored. */
const texts = ['first_name', 'last_name', 'department'] as const;
const members: Readonly<Record<string, string>> = {
  first_name: 'firstName',
  last_name: 'lastName',
  department: 'department',
  job_title: 'jobTitle',
  location: 'location',
  hire_date: 'hireDate',
  termination_date: 'terminationDate',
  manager_id: 'managerId',
};
const contractNames = [...texts, ...restrictableAttributes];
const keys = markedAttributes.map(({ key }) => key).toSorted();
const order = [...contractNames, ...keys.map((key) => `custom.${key}`)];

/** A value with the mark of a restrictable attribute, or `null`. */
function contractValue(name: string): Value {
  const number = random.upTo(20);
  if ((texts as readonly string[]).includes(name)) return `T${random.text(4)} "${number}"`;
  if (random.chance(0.2)) return null;
  if (name === 'hire_date') return `1871-03-${10 + number}`;
  if (name === 'termination_date') return `1932-05-${10 + number}`;
  const mark = { job_title: 'markedtitle', location: 'markedlocation' }[name] ?? 'markedmanager';
  return `${mark}${number}`;
}

function randomValue(name: string): Value {
  const { value } = markedAttributes.find(({ key }) => `custom.${key}` === name) ?? {};
  if (value === undefined) return contractValue(name);
  return random.chance(0.3) ? null : value(random);
}

/** Values as columns. */
function toData(values: Values): object {
  const columns = Object.entries(members).map(([name, member]) => {
    const value = values.get(name) ?? null;
    const isDate = name.endsWith('_date') && value !== null;
    return [member, isDate ? new Date(String(value)) : value];
  });
  const custom = keys.flatMap((key) => {
    const value = values.get(`custom.${key}`) ?? null;
    return value === null ? [] : [[key, value]];
  });
  return { ...Object.fromEntries(columns), custom: Object.fromEntries(custom) };
}

interface KnownChange {
  readonly kind: 'created' | 'updated';
  readonly changes: readonly { readonly attribute: string; readonly from: Value; readonly to: Value }[];
}

/** An employee without restrictable and custom values, and random changes; what the history of a reader of everything is. */
async function person(accountId: string, id: string, first: Values) {
  const log: KnownChange[] = [];
  let values = first;
  return {
    id,
    log,
    async change(names: readonly string[]): Promise<void> {
      const next = new Map(values);
      for (const name of names) next.set(name, randomValue(name));
      const changes = order.flatMap((attribute) => {
        const [from, to] = [values.get(attribute) ?? null, next.get(attribute) ?? null];
        return JSON.stringify(from) === JSON.stringify(to) ? [] : [{ attribute, from, to }];
      });
      if (changes.length === 0) return;
      await prisma.employee.updateMany({ where: { accountId, id }, data: toData(next) });
      values = next;
      log.unshift({ kind: 'updated', changes });
    },
  };
}

async function setUp() {
  const employees = makeEmployees(2, {
    ...{ jobTitle: null, location: null, hireDate: null, terminationDate: null },
    ...{ firstName: 'Ada', lastName: 'L', department: 'IT' },
  });
  const { accountId, employeeIds } = await createTenant(api.database, { employees });
  await defineAttributes(
    api.database,
    accountId,
    markedAttributes.map(({ value: _value, mark: _mark, ...definition }) => definition),
  );
  const first = new Map<string, Value>([
    ['first_name', 'Ada'],
    ['last_name', 'L'],
    ['department', 'IT'],
  ]);
  const people = await Promise.all(employeeIds.map((id) => person(accountId, id, first)));
  const application = await createApplication(api.database, accountId);
  const allow = (restricted: Restricted, chosen: readonly string[]) =>
    prisma.application.updateMany({
      where: { accountId, id: application.id },
      data: {
        readableAttributes: [
          ...restrictableAttributes.filter((name) => !restricted.includes(name)),
          ...chosen.map((key) => `custom.${key}`),
        ],
      },
    });
  const setArchived = (archivedAt: Date | null) =>
    prisma.customAttribute.updateMany({ where: { accountId, key: archivedKey }, data: { archivedAt } });
  return { accountId, people, application, allow, setArchived, token: await api.token(application) };
}

/** The embedded database takes longer for each. */
const sets = testServer === undefined ? 40 : 200;

t.test(
  'for random sets of attributes, the list has the readable changes, and no byte of a hidden name or value, while an attribute is archived and restored',
  async (t) => {
    const { people, allow, setArchived, token } = await setUp();
    for (let number = 0; number < 60; number += 1)
      await random.pick(people).change(random.some(order, random.chance(0.7) ? 1 : 1 + random.upTo(6)));
    const { all } = changeReader(api, token);
    const differences: string[] = [];
    let hiddenChanges = 0;
    let isArchived = false;
    for (let number = 0; number < sets; number += 1) {
      if (random.chance(0.2)) {
        isArchived = !isArchived;
        await setArchived(isArchived ? new Date() : null);
      }
      const restricted = random.chance(0.3) ? [] : restrictableAttributes.filter(() => random.chance(0.5));
      const chosen = random.chance(0.2) ? [] : [...keys, 'kq_absent'].filter(() => random.chance(0.4));
      await allow(restricted, chosen);
      const active = chosen.filter((key) => !(isArchived && key === archivedKey));
      const isReadable = (name: string) =>
        name.startsWith('custom.')
          ? active.includes(name.slice('custom.'.length))
          : !(restricted as readonly string[]).includes(name);
      const { id, log } = random.pick(people);
      const expected = log
        .map(({ kind, changes }) => ({
          kind,
          changes: changes.filter(({ attribute }) => isReadable(attribute)),
        }))
        .filter(({ changes }) => changes.length > 0);
      hiddenChanges += log.length - expected.length;
      const options = { size: 1 + random.upTo(12), byLink: random.chance(0.5) };
      const { changes, pages, text } = await all(id, options);
      const found = changes.slice(0, -1).map(({ attributes: { kind, changes } }) => ({ kind, changes }));
      const label = `restricted: ${restricted}; chosen: ${active}; ${JSON.stringify(options)}`;
      if (JSON.stringify(found) !== JSON.stringify(expected)) differences.push(`other changes, ${label}`);
      if (changes.at(-1)?.attributes.kind !== 'created') differences.push(`not created at last, ${label}`);
      if (pages !== Math.ceil(changes.length / options.size)) differences.push(`${pages} pages, ${label}`);
      const leaked = [
        ...markersIn(text.replaceAll(/"restricted":\[[^\]]*\]/g, '')).filter((name) =>
          restricted.includes(name),
        ),
        ...restricted.filter((name) => text.includes(`"attribute":"${name}"`)),
        ...marksIn(text).filter((key) => !active.includes(key)),
      ];
      if (leaked.length > 0) differences.push(`${leaked}, ${label}`);
    }
    t.ok(hiddenChanges > 2.5 * sets, `${hiddenChanges} changes were hidden`);
    t.same(differences.slice(0, 5), [], `${differences.length} differences`);
  },
);

t.test(
  'a hidden manager is neither in the changes nor in the headers, and meta.restricted names it',
  async (t) => {
    const { accountId, people, allow, token } = await setUp();
    const [one, other] = people;
    const id = one?.id ?? '';
    await prisma.employee.updateMany({ where: { accountId, id }, data: { managerId: other?.id ?? '' } });
    await prisma.employee.updateMany({
      where: { accountId, id },
      data: { managerId: null, department: 'HR' },
    });
    await allow(['job_title', 'manager_id'], []);
    const response = await api.get(changesPath(id), token);
    const { data, meta } = response.json();
    t.same(meta, { next_cursor: null, restricted: ['job_title', 'manager_id'] });
    t.same(data[0].attributes.changes, [{ attribute: 'department', from: 'IT', to: 'HR' }]);
    t.same(
      data.map(({ attributes }: Change) => attributes.kind),
      ['updated', 'created'],
    );
    t.notOk(received(response).includes(other?.id ?? ''));
    await allow([], []);
    const full = (await api.get(changesPath(id), token)).json();
    t.equal(full.data.length, 3);
    t.same(full.meta, { next_cursor: null });
  },
);

t.test('values of an attribute without a definition are never shown', async (t) => {
  const { accountId, people, allow, token } = await setUp();
  const [one] = people;
  await one?.change([`custom.${archivedKey}`]);
  await one?.change(['custom.kq_note', `custom.${archivedKey}`]);
  await prisma.customAttribute.deleteMany({ where: { accountId, key: archivedKey } });
  await allow([], keys);
  const response = await api.get(changesPath(one?.id), token);
  t.same(
    response
      .json()
      .data.flatMap(({ attributes }: Change) =>
        attributes.kind === 'created' ? [] : attributes.changes.map(({ attribute }) => attribute),
      ),
    one?.log.flatMap(({ changes }) =>
      changes.some(({ attribute }) => attribute === 'custom.kq_note') ? ['custom.kq_note'] : [],
    ),
  );
  t.notOk(marksIn(received(response)).includes(archivedKey));
});
