import { insertEmployees } from '../../../src/features/employees/insert-employees.js';
import type { Role } from '../../../src/platform/accounts/user.js';
import { createScene, signedInBrowser } from '../oauth/users.js';
import type { TestApp } from '../server/app.js';
import { makeEmployees, type TestEmployee } from './tenant.js';

/** An account with these employees, and a browser of its user. */
export async function employeeScene(
  api: TestApp,
  people: readonly Partial<TestEmployee>[],
  role: Role = 'owner',
) {
  const { database } = api;
  const { accountId, user } = await createScene(database, { role });
  const employees = makeEmployees(people.length).map((employee, index) => ({
    ...employee,
    ...people[index],
  }));
  const ids = await database.prisma.$transaction((tx) => insertEmployees(tx, accountId, employees), {
    timeout: 600_000,
  });
  const browser = await signedInBrowser(api, user);
  return {
    accountId,
    user,
    ids,
    browser,
    /** The employees of the account as they are stored, by employee number. */
    stored: () =>
      database.prisma.employee.findMany({ where: { accountId }, orderBy: { employeeNumber: 'asc' } }),
    /** The audit events of employees, oldest first. */
    events: () =>
      database.prisma.auditEvent.findMany({
        where: { accountId, type: { startsWith: 'employee.' } },
        orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      }),
  };
}

export type EmployeeScene = Awaited<ReturnType<typeof employeeScene>>;

/** Values of the form for an employee. */
export const validForm = {
  employee_number: 'E100',
  first_name: 'Grace',
  last_name: 'Hopper',
  email: 'grace@x.example',
  status: 'active',
  department: 'Navy',
  job_title: 'Rear admiral',
  location: 'Arlington',
  hire_date: '1943-12-01',
  termination_date: '',
  manager_employee_number: '',
};

/** Values of the fields of a form, as a browser would send them. */
export function fieldValues(html: string): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [input] of html.matchAll(/<input (?:[^>"]|"[^"]*")*>/g)) {
    const name = /name="([^"]*)"/.exec(input)?.[1];
    const value = /value="([^"]*)"/.exec(input)?.[1] ?? '';
    if (name !== undefined) fields[name] = decode(value);
  }
  for (const [, name = '', options = ''] of html.matchAll(
    /<select [^>]*name="([^"]*)".*?>(.*?)<\/select>/gs,
  )) {
    const [selected = ''] = options.match(/<option[^>]*\bselected\b[^>]*>/) ?? [];
    fields[name] = decode(/value="([^"]*)"/.exec(selected)?.[1] ?? '');
  }
  return fields;
}

function decode(text: string): string {
  return text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&');
}

/** The messages at fields, by field. */
export function fieldErrors(html: string): Record<string, string> {
  return Object.fromEntries(
    [...html.matchAll(/<p id="([a-z_.0-9]+)-error" class="field-error">([^<]*)<\/p>/g)].map(
      ([, field = '', message = '']) => [field, message],
    ),
  );
}
