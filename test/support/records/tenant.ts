import type { EmployeeRecord } from '../../../src/features/employees/employee.js';
import { type AccountId, toAccountId } from '../../../src/platform/accounts/account-id.js';
import { restrictableAttributes } from '../../../src/platform/contract/employee-attributes.js';
import { hashSecret } from '../../../src/platform/crypto/keyring.js';
import type { Database } from '../../../src/platform/database/client.js';
import { randomAccountId, randomEmployeePrefix, randomId } from '../../../src/platform/database/ids.js';
import { contract } from '../server/app.js';
import { insertEmployees } from './insert-employees.js';

export interface TestApplication {
  readonly id: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** A new account, with an application that has every scope and may read every attribute. */
export interface Tenant {
  readonly accountId: AccountId;
  readonly application: TestApplication;
  /** Ids of the employees, in the order of the list. */
  readonly employeeIds: readonly string[];
}

export type TestEmployee = EmployeeRecord & { readonly updatedAt: Date };

export async function createTenant(
  database: Database,
  { employees = [] as readonly TestEmployee[], name = `Account ${randomId(6)}` } = {},
): Promise<Tenant> {
  const { id } = await database.prisma.account.create({
    data: { id: randomAccountId(), name, employeePrefix: randomEmployeePrefix() },
  });
  const accountId = toAccountId(id);
  return {
    accountId,
    application: await createApplication(database, accountId),
    employeeIds: employees.length === 0 ? [] : await insertEmployees(database.prisma, accountId, employees),
  };
}

export async function createApplication(
  database: Database,
  accountId: AccountId,
  {
    clientType = 'confidential',
    scopes = Object.keys(contract.scopes),
    readableAttributes = restrictableAttributes,
    redirectUris = [],
    name,
  }: {
    clientType?: 'confidential' | 'public';
    scopes?: readonly string[];
    readableAttributes?: readonly string[];
    redirectUris?: readonly string[];
    name?: string;
  } = {},
): Promise<TestApplication> {
  const id = randomId();
  const clientId = randomId();
  const clientSecret = randomId(52);
  await database.prisma.application.create({
    data: {
      id,
      accountId,
      clientId,
      name: name ?? `Application ${clientId.slice(0, 6)}`,
      clientType,
      scopes: [...scopes],
      readableAttributes: [...readableAttributes],
      redirectUris: [...redirectUris],
      inDevelopment: redirectUris.some((uri) => uri.startsWith('http://')),
    },
  });
  if (clientType === 'confidential') {
    await database.prisma.applicationSecret.create({
      data: { id: randomId(), accountId, applicationId: id, secretHash: hashSecret(clientSecret) },
    });
  }
  return { id, clientId, clientSecret };
}

/** Employees that differ from each other in every attribute that a list can filter or sort by. */
export function makeEmployees(count: number, overrides: Partial<TestEmployee> = {}): TestEmployee[] {
  const salt = randomId(4);
  return Array.from({ length: count }, (_, index) => ({
    employeeNumber: `N${salt}${String(index).padStart(5, '0')}`,
    firstName: `First${(index * 7) % 13}`,
    lastName: `Last${(index * 11) % 17}`,
    email: `person${index}.${salt}@tenant.example`,
    status: ['active', 'on_leave', 'inactive', 'terminated'][index % 4] ?? 'active',
    department: ['Engineering', 'Sales', 'Payroll'][index % 3] ?? 'Sales',
    jobTitle: ['Accountant', 'Engineer', null][index % 3] ?? null,
    location: ['Berlin', null, 'London', 'Lisbon'][index % 4] ?? null,
    hireDate: ['2020-02-29', '2021-12-31', '2022-01-01', null][index % 4] ?? null,
    terminationDate: index % 4 === 3 ? '2026-06-30' : null,
    updatedAt: new Date(Date.UTC(2026, 0, 1) + ((index * 37) % 101) * 3_600_000),
    ...overrides,
  }));
}
