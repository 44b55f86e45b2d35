import { CustomAttributeChanges } from '../../src/features/employees/custom-attribute-changes.js';
import { CustomAttributePurge } from '../../src/features/employees/custom-attribute-purge.js';
import { EmployeeChanges } from '../../src/features/employees/index.js';
import { defineAttributes, setCustomValues } from '../support/records/custom-attributes.js';
import { createApplication, createTenant, makeEmployees } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
const { database, clock } = api;
const { prisma } = database;
const changes = new EmployeeChanges(database);

const foreign = await createTenant(database, { employees: makeEmployees(1) });

/** An account with references to employees, whose application may read `mentor` and `note`, and not `hr_partner`. */
async function scene() {
  const tenant = await createTenant(database, { employees: makeEmployees(4) });
  const { accountId, employeeIds } = tenant;
  await defineAttributes(database, accountId, [
    { key: 'mentor', type: 'employee' },
    { key: 'hr_partner', type: 'employee' },
    { key: 'note' },
  ]);
  const readableAttributes = ['custom.mentor', 'custom.note'];
  const token = await api.token(await createApplication(database, accountId, { readableAttributes }));
  const [a = '', b = '', c = '', d = ''] = employeeIds;
  const set = (id: string, custom: object) => setCustomValues(database, accountId, id, custom);
  const customOf = async () =>
    (await prisma.employee.findMany({ where: { accountId }, orderBy: { position: 'asc' } })).map(
      ({ custom }) => custom,
    );
  const remove = (id: string) => changes.delete({ accountId, at: clock() }, id);
  const archive = (key: string) =>
    prisma.customAttribute.updateMany({ where: { accountId, key }, data: { archivedAt: new Date() } });
  const events = (type: string) =>
    prisma.event.findMany({ where: { accountId, type }, orderBy: { position: 'asc' } });
  const get = async (path: string) => (await api.get(path, token)).json();
  return { accountId, ids: [a, b, c, d] as const, set, customOf, remove, archive, events, get };
}

t.test('a value is the id of another employee or of the same one, in the API and in events', async (t) => {
  const { ids, set, customOf, get } = await scene();
  const [a, b] = ids;
  await set(a, { mentor: b, hr_partner: a });
  t.same((await customOf())[0], { mentor: b, hr_partner: a });
  t.same((await get(`/v1/employees/${a}`)).data.attributes.custom, { mentor: b });
  const { data } = await get('/v1/events?filter[type]=employee.updated');
  t.same(
    data.map(({ changed, resource }: { changed: string[]; resource: { attributes: object } }) => [
      changed,
      (resource.attributes as { custom: object }).custom,
    ]),
    [[['custom.mentor'], { mentor: b }]],
  );
  const listed = (await get('/v1/employee_attributes')).data.find(
    ({ id }: { id: string }) => id === 'custom.mentor',
  );
  t.match(listed.attributes, { value_type: 'employee', choices: [] });
});

t.test('the database rejects a value that is not the id of an employee of the account', async (t) => {
  const { accountId, ids, set, customOf } = await scene();
  const [a, b] = ids;
  const unknown = `${b.slice(0, 8)}zzzzzzzz`;
  const values = [
    unknown,
    foreign.employeeIds[0],
    '',
    'Not an id',
    `${b}0`,
    b.toUpperCase(),
    1,
    true,
    [b],
    { id: b },
  ];
  for (const value of values) {
    await t.rejects(set(a, { mentor: value }), /custom attribute mentor/, JSON.stringify(value));
    await t.rejects(
      prisma.$executeRaw`
        INSERT INTO employees
          (account_id, id, position, employee_number, first_name, last_name, email, status, department, custom)
        SELECT account_id, substr(id, 1, 8) || '0000zzzz', 1679615, 'new', '', 'L', '', 'active', 'D',
          ${JSON.stringify({ mentor: value })}::text::jsonb
        FROM employees WHERE account_id = ${accountId} AND id = ${a}`,
      /custom attribute mentor/,
      JSON.stringify(value),
    );
  }
  await t.rejects(set(a, { mentor: b, hr_partner: unknown }), /custom attribute hr_partner .* refers to/);
  t.same(await customOf(), [null, null, null, null]);
});

/** Workers of Citus have settings and statistics of their own. */
const onOneServer = database.isDistributed() ? { skip: 'needs one server' } : {};

t.test('a reference that is unchanged is not checked', onOneServer, async (t) => {
  const { accountId, ids, set, customOf } = await scene();
  const [a, b] = ids;
  await set(a, { mentor: b });
  await prisma.$transaction(async (tx) => {
    await tx.$executeRaw`SELECT set_config('app.references_cleared', ${`{${b}}`}, true)`;
    await tx.$executeRaw`DELETE FROM employees WHERE account_id = ${accountId} AND id = ${b}`;
  });
  t.same((await customOf())[0], { mentor: b }, 'the reference is stale');
  await set(a, { mentor: b, note: 'x' });
  t.same((await customOf())[0], { mentor: b, note: 'x' });
  await t.rejects(set(a, { mentor: b, hr_partner: b }), /hr_partner/);
});

t.test(
  'deleting an employee clears the references to it, with an event and an audit event for each',
  async (t) => {
    const { accountId, ids, set, customOf, remove, events, get } = await scene();
    const [a, b, c, d] = ids;
    await set(a, { mentor: d, hr_partner: d, note: 'kept' });
    await set(b, { hr_partner: d });
    await set(c, { mentor: b });
    await set(d, { mentor: d });
    const employees = await prisma.employee.findMany({ where: { accountId }, orderBy: { position: 'asc' } });
    const numbers = employees.map(({ employeeNumber }) => employeeNumber);
    const times = async () =>
      (await prisma.employee.findMany({ where: { accountId }, orderBy: { position: 'asc' } })).map(
        ({ updatedAt }) => updatedAt,
      );
    const before = await times();
    const earlier = (await events('employee.updated')).length;
    t.ok(await remove(d));
    t.same(await customOf(), [{ note: 'kept' }, null, { mentor: b }]);
    t.same(await times(), before.slice(0, 3), 'attributes of the contract are unchanged');
    t.same(
      (await events('employee.updated'))
        .slice(earlier)
        .map(({ resourceId, changed }) => [resourceId, changed]),
      [
        [a, ['custom.hr_partner', 'custom.mentor']],
        [b, ['custom.hr_partner']],
      ],
    );
    const audit = await prisma.auditEvent.findMany({ where: { accountId, type: 'employee.updated' } });
    const details = audit.map((event) => event.details as Record<string, string>);
    const ofReferences = details.filter((given) => given['custom.hr_partner'] !== undefined);
    t.same(
      ofReferences.toSorted((one, other) => (String(one.employee) < String(other.employee) ? -1 : 1)),
      [
        {
          employee: a,
          employee_number: numbers[0],
          'custom.mentor': `${d} → –`,
          'custom.hr_partner': `${d} → –`,
        },
        {
          employee: b,
          employee_number: numbers[1],
          'custom.hr_partner': `${d} → –`,
        },
      ],
    );
    const { data } = await get('/v1/events?filter[type]=employee.updated&page[size]=500');
    const shown = data.slice(-1)[0];
    t.match(shown, { changed: ['custom.mentor'], resource: { id: a } }, 'without the hidden attribute');
    t.same(shown.resource.attributes.custom, { note: 'kept' });
  },
);

t.test('a delete by SQL clears the references too, also those between deleted employees', async (t) => {
  const { accountId, ids, set, customOf, events } = await scene();
  const [a, b, c, d] = ids;
  await set(a, { mentor: c });
  await set(b, { mentor: d, hr_partner: a });
  await set(c, { mentor: d });
  await set(d, { mentor: c });
  const earlier = (await events('employee.updated')).length;
  await prisma.$executeRaw`DELETE FROM employees WHERE account_id = ${accountId} AND id = ANY (${[c, d]}::text[])`;
  t.same(await customOf(), [null, { hr_partner: a }]);
  t.same(
    (await events('employee.updated')).slice(earlier).map(({ resourceId }) => resourceId),
    [a, b],
  );
});

t.test(
  'the deletion of several employees has one event for each employee who referred to some',
  async (t) => {
    const { accountId, ids, set, customOf, events } = await scene();
    const [a, b, c, d] = ids;
    await set(a, { mentor: c, hr_partner: d });
    await set(b, { mentor: b });
    const earlier = (await events('employee.updated')).length;
    const outcome = await changes.deleteAll({ accountId, at: clock() }, [c, d], { dryRun: false });
    t.equal(outcome.kind, 'found');
    t.same(await customOf(), [null, { mentor: b }]);
    t.same(
      (await events('employee.updated')).slice(earlier).map(({ changed }) => changed),
      [['custom.hr_partner', 'custom.mentor']],
    );
  },
);

t.test('references of an archived attribute are cleared without an event', async (t) => {
  const { accountId, ids, set, customOf, remove, archive, events } = await scene();
  const [a, b] = ids;
  await set(a, { mentor: b, note: 'x' });
  await archive('mentor');
  const earlier = (await events('employee.updated')).length;
  t.ok(await remove(b));
  t.same((await customOf())[0], { note: 'x' });
  t.equal((await events('employee.updated')).length, earlier);
  await prisma.customAttribute.updateMany({
    where: { accountId, key: 'mentor' },
    data: { archivedAt: null },
  });
  await set(a, { note: 'y' });
});

t.test(
  'a deletion reads no further employees in an account without such an attribute',
  onOneServer,
  async (t) => {
    const reads = async (accountId: string, ids: readonly string[]) =>
      await prisma.$transaction(async (tx) => {
        const count = async () => {
          const [row] = await tx.$queryRaw<{ count: number }[]>`
          SELECT (seq_scan + coalesce(idx_scan, 0))::int AS count FROM pg_stat_xact_user_tables
          WHERE relname = 'employees' AND schemaname = current_schema()`;
          return row?.count ?? 0;
        };
        const before = await count();
        await tx.$queryRaw`SELECT count(*)::int FROM clear_employee_references(${accountId}, ${ids}::text[])`;
        return (await count()) - before;
      });
    const { accountId, ids } = await scene();
    t.ok((await reads(accountId, ids)) > 0, 'reads are counted');
    const other = await createTenant(database, { employees: makeEmployees(3) });
    await defineAttributes(database, other.accountId, [{ key: 'note' }]);
    t.equal(await reads(other.accountId, other.employeeIds), 0);
    t.equal(await reads(foreign.accountId, foreign.employeeIds), 0);
  },
);

t.test('references of other accounts are unchanged by a deletion', async (t) => {
  const [one, other] = [await scene(), await scene()];
  await one.set(one.ids[0], { mentor: one.ids[1] });
  await other.set(other.ids[0], { mentor: other.ids[1] });
  await one.remove(one.ids[1]);
  t.same((await other.customOf())[0], { mentor: other.ids[1] });
});

t.test(
  'the id of a deleted employee stays in earlier events of others, as that of a manager does',
  async (t) => {
    const { ids, set, remove, events } = await scene();
    const [a, b] = ids;
    await set(a, { mentor: b });
    await remove(b);
    const [first, second] = await events('employee.updated');
    t.match(first?.attributes, { custom: { mentor: b } });
    t.notMatch(JSON.stringify(second?.attributes), b);
  },
);

t.test('a filter selects the employees with one of the ids, or without a value', async (t) => {
  const { ids, set, get } = await scene();
  const [a, b, c, d] = ids;
  await set(a, { mentor: c });
  await set(b, { mentor: d });
  const found = async (...values: readonly string[]) => {
    const query = values.map((value) => `filter[custom.mentor]=${encodeURIComponent(value)}`).join('&');
    return (await get(`/v1/employees?${query}`)).data.map(({ id }: { id: string }) => id);
  };
  t.same(await found(c), [a]);
  t.same(await found(c, d), [a, b]);
  t.same(await found(''), [c, d]);
  t.same(await found(d, ''), [b, c, d]);
  for (const unknown of ['unknown0unknown0', foreign.employeeIds[0] ?? '', 'Not an id', c.toUpperCase()])
    t.same(await found(unknown), [], 'as filter[manager_id]');
  t.match(await get('/v1/employees?filter[custom.mentor][gte]=a'), {
    code: 'invalid_request',
    errors: [{ parameter: 'filter[custom.mentor][gte]' }],
  });
  t.match(await get(`/v1/employees?filter[custom.hr_partner]=${c}`), { code: 'invalid_request' }, 'hidden');
});

t.test('the deletion of the attribute removes its references, and its errors from imports', async (t) => {
  const { accountId, ids, set, customOf, archive, events } = await scene();
  const [a, b] = ids;
  await set(a, { mentor: b, note: 'x' });
  await archive('mentor');
  const attributes = new CustomAttributeChanges(database);
  t.match(await attributes.requestPurge({ accountId, at: clock() }, 'mentor'), { kind: 'requested' });
  await new CustomAttributePurge({ database, clock }).purge(accountId, 'mentor');
  t.same((await customOf())[0], { note: 'x' });
  const left = (await events('employee.updated')).map(({ changed, attributes }) => ({ changed, attributes }));
  t.notMatch(JSON.stringify(left), /mentor/);
  t.equal(await prisma.customAttribute.count({ where: { accountId, key: 'mentor' } }), 0);
});
