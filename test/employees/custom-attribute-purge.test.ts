import { CustomAttributeChanges } from '../../src/features/employees/custom-attribute-changes.js';
import { CustomAttributePurge } from '../../src/features/employees/custom-attribute-purge.js';
import { EmployeeChanges } from '../../src/features/employees/index.js';
import { randomId } from '../../src/platform/database/ids.js';
import { defineAttributes, setCustomValues } from '../support/records/custom-attributes.js';
import { createApplication, createTenant, makeEmployees } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
const { database, clock } = api;
const { prisma } = database;
const purgeIn = (batchSize: number) => new CustomAttributePurge({ database, clock }, { batchSize });

/** An account whose employees, events, audit events and imports have a marker as the value of `note`, and others of `kept`. */
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
      ...{ fileName: 'f.csv', format: 'csv', state: 'complete' },
    },
  });
  await prisma.employeeImportChange.createMany({
    data: [1n, 2n, 3n].map((position) => ({
      ...{ accountId, importId, position, version: 'v', expiresAt: at.expiresAt },
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
  return { ...tenant, id: created.id, context, application, changes, request, attributes };
}

/** Names of the tables of accounts with a text. */
async function tablesWith(text: string): Promise<string[]> {
  const tables = await prisma.$queryRaw<{ name: string }[]>`
    SELECT relname::text AS name FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
    WHERE attname = 'account_id' AND relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace ORDER BY 1`;
  const found: string[] = [];
  for (const { name } of tables) {
    const statement = `SELECT 1 FROM "${name}" stored WHERE position($1 IN stored::text) > 0 LIMIT 1`;
    const rows = await prisma.$queryRawUnsafe<unknown[]>(statement, text);
    if (rows.length > 0) found.push(name);
  }
  return found;
}

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
  t.same(await tablesWith(marker), ['audit_events', 'employee_import_changes', 'employees', 'events']);
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
  await mine.request();
  await purgeIn(2).purge(accountId, 'note');
  const after = await read();

  t.same(await tablesWith(marker), []);
  t.equal(after.events.length, before.events.length, 'no event is added or removed');
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
  for (const { before } of imported) t.same(before, { jobTitle: 'J', custom: { kept: 'K' } });
  const stored = await prisma.application.findFirstOrThrow({ where: { id: application.id } });
  t.same(stored.readableAttributes, ['job_title', 'custom.kept']);
  t.match(await mine.attributes(), [{ key: 'kept' }]);
  const purged = await prisma.auditEvent.findMany({ where: { accountId, type: 'custom_attribute.purged' } });
  t.match(purged, [{ userId: null, details: { key: 'note', label: 'Label of note' } }]);

  t.match(await other.attributes(), [{ key: 'kept' }, { key: 'note' }]);
  t.same(await tablesWith(otherMarker), [
    ...['audit_events', 'employee_import_changes', 'employees', 'events'],
  ]);
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
