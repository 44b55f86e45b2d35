import { upsertEmployees } from '../../src/features/employees/upsert-employees.js';
import type { Restricted } from '../support/records/attribute-access.js';
import { ids as idsOf } from '../support/records/employee-list.js';
import { knownEmployees, type Reader, shownAttributes } from '../support/records/known-employees.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);

t.test('changes at one time have this time, whichever comes first', async (t) => {
  const sets: Restricted[] = [[], ['job_title'], ['job_title', 'location'], ['location', 'hire_date']];
  const orders: readonly (readonly Readonly<Record<string, string>>[])[] = [
    [{ job_title: 'A' }, { department: 'B' }],
    [{ department: 'C' }, { job_title: 'D' }],
    [{ job_title: 'E' }, { location: 'F' }],
    [{ location: 'G' }, { job_title: 'H' }, { status: 'I' }],
  ];
  const { people, readers, update, read } = await knownEmployees(api, sets, orders.length);
  api.clock.advanceSeconds(1);
  for (const [index, known] of people.entries())
    for (const values of orders[index] ?? []) await update(known, values);
  for (const reader of readers) {
    const { data } = (await read(reader, '/v1/employees')).json();
    t.same(
      data.map(({ attributes }: { attributes: object }) => attributes),
      people.map((known) => shownAttributes(known, reader.restricted)),
      `without ${reader.restricted}`,
    );
  }
});

t.test(
  'a change by a process whose clock is behind hides no earlier change from an application that cannot see it',
  async (t) => {
    const { people, readers, update, read } = await knownEmployees(api, [['location'], []], 1);
    const [known] = people;
    const [reader, other] = readers;
    if (known === undefined || reader === undefined || other === undefined)
      throw new Error('Too few readers');
    api.clock.advanceSeconds(10);
    await update(known, { job_title: 'A' });
    const since = `/v1/employees?filter[updated_at][gte]=${api.clock().toISOString()}`;
    const before = await read(reader, since);
    t.equal(before.json().meta.record_count, 1);
    api.clock.advanceSeconds(-5);
    await update(known, { location: 'B' });
    t.equal((await read(reader, since)).body, before.body);
    t.equal((await read(other, since)).json().meta.record_count, 1);
    api.clock.advanceSeconds(5);
  },
);

t.test(
  'an import that changes only such an attribute of an employee is not seen, and one of others is',
  async (t) => {
    const { accountId, people, readers, read } = await knownEmployees(api, [['location'], []], 3);
    const rows = people.map(({ record: { id: _id, updatedAt: _updatedAt, ...record } }) => record);
    const [first, second] = rows;
    if (first === undefined || second === undefined) throw new Error('Too few employees');
    const paths = people.map(({ record }) => `/v1/employees/${record.id}`);
    const bodiesOf = (reader: Reader) =>
      Promise.all(paths.map(async (path) => (await read(reader, path)).body));
    const before = await Promise.all(readers.map(bodiesOf));
    await api.database.prisma.$transaction((tx) =>
      upsertEmployees(tx, accountId, [
        { ...first, location: 'Imported' },
        { ...second, location: 'Imported', department: 'Imported' },
      ]),
    );
    const after = await Promise.all(readers.map(bodiesOf));
    const same = after.map((bodies, reader) => bodies.map((body, index) => body === before[reader]?.[index]));
    t.same(same, [
      [true, false, true],
      [false, false, true],
    ]);
    const since = await Promise.all(
      readers.map(async (reader) =>
        idsOf((await read(reader, '/v1/employees?filter[updated_since]=2026-02-01T00:00:00Z')).json()),
      ),
    );
    const ids = people.map(({ record }) => record.id);
    t.same(since, [ids.slice(1, 2), ids.slice(0, 2)]);
  },
);

t.test(
  'the deletion of a manager changes nothing for an application that may not read managers',
  async (t) => {
    const { accountId, people, readers, changes, update, read } = await knownEmployees(
      api,
      [['manager_id'], []],
      3,
    );
    const [manager, ...reports] = people;
    api.clock.advanceSeconds(1);
    for (const known of reports) await update(known, { manager_id: manager?.record.id ?? null });
    const paths = reports.map(({ record }) => `/v1/employees/${record.id}`);
    const bodiesOf = (reader: Reader) =>
      Promise.all(paths.map(async (path) => (await read(reader, path)).body));
    const before = await Promise.all(readers.map(bodiesOf));
    const cursors = await Promise.all(
      readers.map(
        async (reader): Promise<string> => (await read(reader, '/v1/events')).json().meta.next_cursor,
      ),
    );
    t.ok(await changes.delete({ accountId, at: api.clock() }, manager?.record.id ?? ''));
    const after = await Promise.all(readers.map(bodiesOf));
    t.same(after[0], before[0]);
    for (const [index, body] of (after[1] ?? []).entries()) t.not(body, before[1]?.[index]);
    const types = await Promise.all(
      readers.map(async (reader, index) => {
        const { data } = (await read(reader, `/v1/events?page[after]=${cursors[index]}`)).json();
        return data.map(({ type }: { type: string }) => type).sort();
      }),
    );
    t.same(types, [['employee.deleted'], ['employee.deleted', 'employee.updated', 'employee.updated']]);
  },
);
