import { hash } from 'node:crypto';
import { CustomAttributeChanges } from '../../src/features/employees/custom-attribute-changes.js';
import { CustomAttributePurge } from '../../src/features/employees/custom-attribute-purge.js';
import { EmployeeChanges } from '../../src/features/employees/index.js';
import { randomId } from '../../src/platform/database/ids.js';
import { defineAttributes, setCustomValues } from '../support/records/custom-attributes.js';
import { changeReader } from '../support/records/employee-changes.js';
import { createApplication, createTenant, makeEmployees } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
const { database, clock } = api;
const { prisma } = database;
const purgeIn = (batchSize: number) => new CustomAttributePurge({ database, clock }, { batchSize });

const hashOf = (value: string) => hash('sha256', JSON.stringify(value), 'base64url');

/** As an import records it. */
const versionOf = (note: string) =>
  `${hashOf('v')} kept:${hashOf('K')} note:${hashOf(note)} notes:${hashOf('N')}`;

/** An account whose employees, events, reports, audit events and imports have a marker as the value of `note`, and others of `kept`. */
async function purgeScene(marker: string) {
  const tenant = await createTenant(database, { employees: makeEmployees(5) });
  const { accountId, employeeIds } = tenant;
  await defineAttributes(database, accountId, [{ key: 'note' }, { key: 'kept' }]);
  for (const id of employeeIds.slice(0, 3))
    await setCustomValues(database, accountId, id, { note: marker, kept: 'K' });
  await setCustomValues(database, accountId, employeeIds[0] ?? '', { note: `${marker} 2`, kept: 'K' });
  await setCustomValues(database, accountId, employeeIds[3] ?? '', { note: marker });
  const context = { accountId, at: clock() };
  const [employee] = makeEmployees(1, { managerId: null } as object);
  const custom = { note: marker, kept: 'K' };
  const created = await new EmployeeChanges(database).create(context, {
    employee: { ...(employee as NonNullable<typeof employee>), custom },
    managerNumber: null,
  });
  if (created.kind !== 'created') throw new Error('The employee was not created');
  const importId = randomId();
  const at = { createdAt: clock(), expiresAt: new Date(clock().getTime() + 1e9) };
  await prisma.employeeImport.create({
    data: {
      ...{ accountId, id: importId, userId: 'u', address: '::1', requestId: 'r', eventId: 'e', ...at },
      ...{
        fileName: 'f.csv',
        format: 'csv',
        state: 'complete',
        attributes: ['employee_number', 'custom.note'],
      },
      fixedValues: { 'custom.note': marker, 'custom.kept': 'K' },
      findings: {
        causes: [],
        changes: [{ employeeNumber: '1', name: 'N', label: 'L', before: marker, after: null }],
      },
    },
  });
  await prisma.employeeImportError.createMany({
    data: [
      { accountId, importId, line: 2, message: `Date: ${marker}`, cells: ['1', marker] },
      { accountId, importId, line: 3, message: 'Manager', cells: [] },
    ],
  });
  const filters = [
    { field: 'status', operator: 'eq', value: 'active' },
    { field: 'custom.note', operator: 'in', value: [marker] },
    { field: 'custom.kept', operator: 'eq', value: 'K' },
  ];
  const reportId = randomId();
  await prisma.report.create({
    data: { accountId, id: reportId, title: 'R', columns: ['job_title'], filters },
  });
  await prisma.employeeImportChange.createMany({
    data: [1n, 2n, 3n].map((position) => ({
      ...{ accountId, importId, position, version: versionOf(marker), expiresAt: at.expiresAt },
      before: { jobTitle: 'J', custom: { note: marker, kept: 'K' } },
    })),
  });
  const readableAttributes = ['job_title', 'custom.note', 'custom.kept'];
  const application = await createApplication(database, accountId, { readableAttributes });
  const changes = new CustomAttributeChanges(database);
  const request = async () => {
    await changes.archive(context, 'note');
    await changes.requestPurge(context, 'note');
  };
  const attributes = () => prisma.customAttribute.findMany({ where: { accountId }, orderBy: { key: 'asc' } });
  return { ...tenant, id: created.id, reportId, context, application, changes, request, attributes };
}

/** Names of the tables of accounts with a text. */
async function tablesWith(text: string): Promise<string[]> {
  const tables = await prisma.$queryRaw<{ name: string }[]>`
    SELECT relname::text AS name FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
    WHERE attname = 'account_id' AND relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace ORDER BY 1`;
  const searches = tables.map(
    ({ name }) =>
      `(SELECT '${name}' AS name FROM "${name}" stored WHERE position($1 IN stored::text) > 0 LIMIT 1)`,
  );
  const found = await prisma.$queryRawUnsafe<{ name: string }[]>(searches.join(' UNION ALL '), text);
  return found.map(({ name }) => name).sort();
}

/** The tables with values. */
const tables = [
  ...['audit_events', 'employee_import_changes', 'employee_import_errors', 'employee_imports'],
  ...['employees', 'events', 'reports'],
];

interface StoredEmployee {
  readonly custom: object | null;
  readonly customTimes: object | null;
  readonly customUpdatedAt: Date | null;
  readonly updatedAt: Date;
}

t.test('a deleted attribute leaves no byte of its values, and all others stay', async (t) => {
  const marker = `marker-${randomId()}`;
  const otherMarker = `other-${randomId()}`;
  const other = await purgeScene(otherMarker);
  const mine = await purgeScene(marker);
  const { accountId, application, id } = mine;
  t.same(await tablesWith(marker), tables);
  t.same(await tablesWith(hashOf(marker)), ['employee_import_changes']);
  const read = async () => {
    const [employees, events] = await Promise.all([
      prisma.$queryRaw<StoredEmployee[]>`
        SELECT custom, custom_times AS "customTimes", custom_updated_at AS "customUpdatedAt", updated_at AS "updatedAt"
        FROM employees WHERE account_id = ${accountId} ORDER BY position`,
      prisma.event.findMany({ where: { accountId }, orderBy: { position: 'asc' } }),
    ]);
    return { employees, events };
  };
  const before = await read();
  const withPrevious = (events: typeof before.events) =>
    events.filter(({ previous }) => JSON.stringify(previous).includes('note'));
  t.ok(withPrevious(before.events).length > 0, 'values before a change');
  await mine.request();
  await purgeIn(2).purge(accountId, 'note');
  const after = await read();
  t.same(withPrevious(after.events), []);

  t.same(await tablesWith(marker), []);
  t.same(await tablesWith(hashOf(marker)), [], 'no hash of a value');
  t.same(
    after.events.slice(before.events.length).map(({ type, changed }) => [type, changed]),
    [['report.updated', ['filters']]],
    'no event is removed, and the only new one is that of the report',
  );
  for (const [index, employee] of after.employees.entries()) {
    const earlier = before.employees[index];
    t.same(employee.updatedAt, earlier?.updatedAt);
    t.same(employee.customUpdatedAt, earlier?.customUpdatedAt);
    const { note: _, ...kept } = (earlier?.custom ?? {}) as Record<string, unknown>;
    t.same(employee.custom, Object.keys(kept).length === 0 ? null : kept);
    t.notMatch(JSON.stringify(employee.customTimes), 'note');
  }
  t.ok(after.events.every(({ changed }) => !changed.includes('custom.note')));
  t.ok(after.events.some(({ changed }) => changed.includes('custom.kept')));
  const audited = await prisma.auditEvent.findMany({ where: { accountId, type: 'employee.created' } });
  t.match(audited, [{ details: { employee: id, 'custom.kept': 'K' } }]);
  t.equal(JSON.stringify(audited).includes('custom.note'), false);
  const imported = await prisma.employeeImportChange.findMany({ where: { accountId } });
  for (const { before, version } of imported) {
    t.same(before, { jobTitle: 'J', custom: { kept: 'K' } });
    t.equal(version, `${hashOf('v')} kept:${hashOf('K')} notes:${hashOf('N')}`);
  }
  const [{ findings, fixedValues } = {}] = await prisma.employeeImport.findMany({ where: { accountId } });
  t.same([findings, fixedValues], [{ causes: [] }, { 'custom.kept': 'K' }]);
  const errors = await prisma.employeeImportError.findMany({
    where: { accountId },
    orderBy: { line: 'asc' },
  });
  t.match(errors, [
    { line: 2, message: 'The values and the errors of this row were deleted with a custom attribute' },
    { line: 3, message: 'Manager' },
  ]);
  const stored = await prisma.application.findFirstOrThrow({ where: { id: application.id } });
  t.same(stored.readableAttributes, ['job_title', 'custom.kept']);
  t.match(await mine.attributes(), [{ key: 'kept' }]);
  const purged = await prisma.auditEvent.findMany({ where: { accountId, type: 'custom_attribute.purged' } });
  t.match(purged, [{ userId: null, details: { key: 'note', label: 'Label of note' } }]);

  t.match(await other.attributes(), [{ key: 'kept' }, { key: 'note' }]);
  t.same(await tablesWith(otherMarker), tables);
});

t.test('the history of an employee has all changes but those of a deleted attribute', async (t) => {
  const { accountId, employeeIds, application, request } = await purgeScene('of the past');
  const [id = ''] = employeeIds;
  const read = async () => {
    const { all } = changeReader(api, await api.token(application));
    return (await all(id)).changes.map(({ attributes }) => attributes.changes);
  };
  await setCustomValues(database, accountId, id, { kept: 'L' });
  await setCustomValues(database, accountId, id, { note: 'only of the past', kept: 'L' });
  const before = await read();
  t.equal(before.length, 5);
  await request();
  await purgeIn(2).purge(accountId, 'note');
  const readableAttributes = ['job_title', 'custom.note', 'custom.kept'];
  await prisma.application.updateMany({ where: { id: application.id }, data: { readableAttributes } });
  const after = await read();
  t.same(
    after,
    before
      .map((changes) => changes.filter(({ attribute }) => attribute !== 'custom.note'))
      .filter((changes) => changes.length > 0),
  );
  t.notMatch(JSON.stringify(after), 'of the past');
});

t.test('an event that changed only a deleted attribute stays hidden from all readers', async (t) => {
  const { employeeIds, application, request } = await purgeScene('hidden');
  const [, , , id = ''] = employeeIds;
  const eventsOf = async (readableAttributes: string[]) => {
    await prisma.application.updateMany({ where: { id: application.id }, data: { readableAttributes } });
    const response = await api.get('/v1/events?page[size]=100', await api.token(application));
    t.equal(response.statusCode, 200, response.body);
    return response
      .json()
      .data.filter((event: { resource: { id: string } }) => event.resource.id === id)
      .map(({ type }: { type: string }) => type);
  };
  const all = ['job_title', 'location', 'hire_date', 'termination_date', 'manager_id'];
  const before = await eventsOf(all);
  await request();
  await purgeIn(100).run();
  for (const readable of [all, ['job_title'], [...all, 'custom.kept']])
    t.same(await eventsOf(readable), before, readable.join());
});

t.test(
  'a report that filters by a deleted attribute does not run, also when the key is used again',
  async (t) => {
    const { accountId, reportId, application, request } = await purgeScene('filtered');
    const more = ['empty', 'not_empty'].map((operator) => ({ field: 'custom.note', operator }));
    const ids = [reportId, randomId(), randomId()];
    await prisma.report.createMany({
      data: more.map((filter, index) => ({
        ...{ accountId, id: ids[index + 1] ?? '', title: 'R', columns: ['job_title'], filters: [filter] },
      })),
    });
    await prisma.application.updateMany({
      where: { id: application.id },
      data: { readableAttributes: ['job_title', 'status', 'custom.note', 'custom.kept'] },
    });
    const token = await api.token(application);
    const call = (path: string) => api.get(path, token);
    for (const id of ids) t.equal((await call(`/v1/reports/${id}/results`)).statusCode, 200);
    await request();
    await purgeIn(1).run();
    const where = { accountId };
    const versions = async () => (await prisma.report.findMany({ where })).map(({ version }) => version);
    t.same(await versions(), [2, 2, 2]);
    for (const id of ids)
      t.equal((await call(`/v1/reports/${id}/results`)).statusCode, 400, 'not used again');
    const types = ['text', 'long_text', 'number', 'date', 'boolean', 'choice', 'choices'] as const;
    for (const type of types) {
      await prisma.customAttribute.deleteMany({ where: { ...where, key: 'note' } });
      await defineAttributes(database, accountId, [
        { key: 'note', type, choices: type.startsWith('choice') ? ['filtered'] : [] },
      ]);
      await prisma.application.updateMany({
        where: { id: application.id },
        data: { readableAttributes: ['job_title', 'status', 'custom.note', 'custom.kept'] },
      });
      for (const id of ids) {
        const response = await call(`/v1/reports/${id}/results`);
        t.equal(response.statusCode, 400, type);
        t.match(response.json().errors[0].detail, 'suit the type of custom.note');
      }
    }
    for (const id of ids)
      t.equal((await call(`/v1/reports/${id}`)).statusCode, 200, 'its definition can be read');
  },
);

t.test('only a requested deletion is done, and its key cannot be used before', async (t) => {
  const { accountId, context, changes, request, attributes } = await purgeScene('requested');
  await purgeIn(2).purge(accountId, 'note');
  t.equal((await attributes()).length, 2, 'not requested');
  t.same(await changes.requestPurge(context, 'note'), { kind: 'not_archived' });
  t.same(await changes.requestPurge(context, 'unknown'), { kind: 'not_found' });
  await request();
  t.same(await changes.requestPurge(context, 'note'), { kind: 'unchanged' });
  for (const outcome of [
    await changes.restore(context, 'note'),
    await changes.archive(context, 'note'),
    await changes.update(context, { key: 'note', changes: { label: 'New' } }),
  ])
    t.same(outcome, { kind: 'purging' });
  const again = { key: 'note', label: 'Note', type: 'text', description: null, choices: [] };
  const flags = { required: false, sensitive: false };
  t.match(await changes.create(context, { ...again, ...flags }), { kind: 'invalid' });
  const stopped = new AbortController();
  stopped.abort();
  await purgeIn(2).run(stopped.signal);
  t.equal((await attributes()).length, 2, 'a stopped process deletes nothing');
  await purgeIn(2).run();
  t.match(await changes.create(context, { ...again, ...flags }), { kind: 'created' });
});

t.test(
  'several processes can delete the same attribute, and do not touch a new one with its key',
  async (t) => {
    const { accountId, employeeIds, context, changes, request, attributes } = await purgeScene('together');
    await request();
    await Promise.all([1, 2, 3].map((size) => purgeIn(size).run()));
    t.match(await attributes(), [{ key: 'kept' }]);
    const where = { accountId, type: 'custom_attribute.purged' };
    t.equal(await prisma.auditEvent.count({ where }), 1);
    await changes.create(context, {
      ...{ key: 'note', label: 'Note', type: 'text', description: null, choices: [] },
      ...{ required: false, sensitive: false },
    });
    const [id = ''] = employeeIds;
    await setCustomValues(database, accountId, id, { note: 'new' });
    await purgeIn(2).run();
    await purgeIn(2).purge(accountId, 'note');
    const employee = await prisma.employee.findFirstOrThrow({ where: { accountId, id } });
    t.same(employee.custom, { note: 'new' });
  },
);
