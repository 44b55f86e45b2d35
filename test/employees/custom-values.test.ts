import { type CustomChanges, employeeVersion } from '../../src/features/employees/employee.js';
import { EmployeeChanges } from '../../src/features/employees/employee-changes.js';
import { readEmployee } from '../../src/features/employees/employee-references.js';
import { defineAttributes, setCustomValues } from '../support/records/custom-attributes.js';
import { createApplication, createTenant, makeEmployees } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
const { prisma } = api.database;
const tenant = await createTenant(api.database, { employees: makeEmployees(3) });
const { accountId, employeeIds } = tenant;
await defineAttributes(api.database, accountId, [
  { key: 'cost_center' },
  { key: 'salary', type: 'number', sensitive: true },
  { key: 'languages', type: 'choices', choices: ['English', 'German'] },
]);

const reader = await createApplication(api.database, accountId);
const token = await api.token(reader);
const allow = (...readableAttributes: string[]) =>
  prisma.application.updateMany({ where: { accountId, id: reader.id }, data: { readableAttributes } });

t.test('an application reads the custom attributes that it may read, and no others', async (t) => {
  const [id = ''] = employeeIds;
  const values = { cost_center: 'C1', salary: 1234.5, languages: ['German'] };
  await setCustomValues(api.database, accountId, id, values);
  for (const path of [
    `/v1/employees/${id}`,
    '/v1/employees',
    '/v1/employees?sort=-last_name',
    '/v1/events',
  ]) {
    await allow('custom.cost_center', 'job_title');
    const response = await api.get(path, token);
    t.equal(response.statusCode, 200, response.body);
    t.match(response.body, '"custom":{"cost_center": "C1"}');
    t.notMatch(response.body, 'salary');
    await allow('job_title');
    const without = await api.get(path, token);
    t.notMatch(without.body, 'custom');
  }
  await allow('custom.cost_center', 'job_title');
  const listed = await api.get('/v1/employee_attributes', token);
  const names = listed.json().data.map(({ id }: { id: string }) => id);
  t.same(names.slice(-2), ['updated_at', 'custom.cost_center']);
});

t.test('a form that is older than the attributes stores nothing that they no longer permit', async (t) => {
  const [, id = ''] = employeeIds;
  const changes = new EmployeeChanges(api.database);
  const context = { accountId, at: new Date() };
  const read = async () => {
    const employee = await readEmployee(prisma, accountId, id);
    if (employee === null) throw new Error('The employee is missing');
    return employee;
  };
  const before = await read();
  const submit = (custom: CustomChanges) => {
    const { managerId: _, updatedAt: __, ...employee } = before;
    const input = { employee: { ...employee, custom }, managerNumber: null };
    return changes.update(context, { id, version: employeeVersion(before), input });
  };
  const where = { accountId, key: 'languages' };
  await prisma.customAttribute.updateMany({ where, data: { choices: ['English'] } });
  t.same(await submit({ languages: ['German'] }), { kind: 'choice_removed', attribute: 'custom.languages' });
  t.same(await read(), before);
  await prisma.customAttribute.updateMany({ where, data: { archivedAt: new Date() } });
  t.same(await submit({ languages: ['English'], unknown: 'x', cost_center: 'C2' }), { kind: 'updated' });
  t.same((await read()).custom, { cost_center: 'C2' });
});
