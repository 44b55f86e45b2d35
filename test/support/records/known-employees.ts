import { employeeVersion } from '../../../src/features/employees/employee.js';
import { type GivenAttribute, givenAttributes } from '../../../src/features/employees/employee-attributes.js';
import { EmployeeChanges } from '../../../src/features/employees/employee-changes.js';
import { Employees } from '../../../src/features/employees/employees.js';
import type { TestApp } from '../server/app.js';
import { type Restricted, restrict } from './attribute-access.js';
import { attributesOf } from './employee-attributes.js';
import type { Stored } from './employee-list.js';
import { sendJson } from './send-json.js';
import { createApplication, createTenant, makeEmployees, type TestApplication } from './tenant.js';

/** An employee as a test knows it, and when each attribute last changed. */
export interface Known {
  record: Stored;
  readonly times: Map<string, Date>;
}

/** An employee as an application without these attributes sees it: it was updated when the last of the others changed. */
export function seenBy({ record, times }: Known, restricted: Restricted): Stored {
  const hidden: readonly string[] = restricted;
  const seen = [...times].filter(([name]) => !hidden.includes(name)).map(([, time]) => time.getTime());
  return { ...record, updatedAt: new Date(Math.max(...seen)) };
}

/** The attributes of an employee in responses to an application without these. */
export function shownAttributes(known: Known, restricted: Restricted): Record<string, string | null> {
  const hidden: readonly string[] = restricted;
  const all = Object.entries(attributesOf(seenBy(known, restricted)));
  return Object.fromEntries(all.filter(([name]) => !hidden.includes(name)));
}

/** An application that may not read these attributes. */
export interface Reader {
  readonly application: TestApplication;
  readonly restricted: Restricted;
  readonly token: string;
}

/** An account with employees, an application for each set of attributes that it may not read, and changes of the employees. */
export async function knownEmployees(api: TestApp, sets: readonly Restricted[], count: number) {
  const changes = new EmployeeChanges(api.database);
  const stored = new Employees(api.database);
  const employees = makeEmployees(count);
  const { accountId, application, employeeIds } = await createTenant(api.database, { employees });
  await restrict(api, application, []);
  const token = await api.token(application);
  const people = employees.map((employee, index): Known => {
    const record = { ...employee, id: employeeIds[index] ?? '' };
    return { record, times: new Map(givenAttributes.map(({ name }) => [name, employee.updatedAt])) };
  });
  const readers: Reader[] = [];
  for (const restricted of sets) {
    const own = await createApplication(api.database, accountId);
    await restrict(api, own, restricted);
    readers.push({ application: own, restricted, token: await api.token(own) });
  }
  return {
    accountId,
    people,
    readers,
    changes,
    /** Changes attributes of one employee, at the time of the clock. */
    async update(known: Known, values: Readonly<Record<string, string | null>>): Promise<void> {
      const { id } = known.record;
      const at = api.clock();
      const before = await stored.get(accountId, id);
      if (before === null) throw new Error(`There is no employee ${id}`);
      const record: Stored = { ...known.record, ...membersOf(values) };
      const manager = people.find((other) => other.record.id === record.managerId);
      const input = { employee: record, managerNumber: manager?.record.employeeNumber ?? null };
      const outcome = await changes.update(
        { accountId, at },
        { id, version: employeeVersion(before), input },
      );
      if (outcome.kind !== 'updated') throw new Error(`${JSON.stringify(values)}: ${outcome.kind}`);
      known.record = record;
      for (const name of Object.keys(values)) known.times.set(name, at);
    },
    /** Changes an attribute of employees to the same value, at the time of the clock. */
    async updateAll(chosen: readonly Known[], attribute: GivenAttribute, value: string): Promise<void> {
      const at = api.clock();
      const ids = chosen.map(({ record }) => record.id);
      const outcome = await changes.updateAll(
        { accountId, at },
        { ids, attribute, value },
        { dryRun: false },
      );
      if (outcome.kind !== 'updated') throw new Error(`${attribute.name}: ${outcome.kind}`);
      for (const known of chosen) {
        known.record = { ...known.record, ...membersOf({ [attribute.name]: value }) };
        known.times.set(attribute.name, at);
      }
    },
    /** Creates a report, as an application that may read all attributes. */
    async saved(report: object): Promise<string> {
      const body = { title: 'A report', ...report };
      const response = await sendJson(api, { url: '/v1/reports', token, body });
      if (response.statusCode !== 201) throw new Error(response.body);
      return response.json().data.id;
    },
    /** The response with status 200. */
    async read(reader: Reader, path: string) {
      const response = await api.get(path, reader.token);
      if (response.statusCode !== 200) throw new Error(`${path}: ${response.statusCode} ${response.body}`);
      return response;
    },
  };
}

/** Values by the name of the attribute as members of an employee. */
function membersOf(values: Readonly<Record<string, string | null>>): object {
  const members = givenAttributes.filter(({ name }) => name in values);
  return Object.fromEntries(members.map(({ name, member }) => [member, values[name] ?? null]));
}
