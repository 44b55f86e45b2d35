import type { AccountId } from '../../platform/accounts/account-id.js';
import { compareText } from '../../platform/contract/outside-text.js';
import type { ReadDatabase } from '../../platform/database/client.js';
import { accountScope, withScope } from '../../platform/database/scope.js';
import type { Directory } from './directory.js';
import { type Employee, fullName } from './employee.js';
import { readManagerIds } from './employee-references.js';
import type { Employees } from './employees.js';

/** Employees to choose from, by name. */
export interface EmployeeChoice {
  readonly id: string;
  readonly name: string;
}

/** Managers that are read without a search, and the most employees that a search returns. */
const maximumManagers = 50;

/** Employees with a matching name of which a search finds the managers. */
const maximumCandidates = 200;

/** The employees of an account whom filters offer: those who are the manager of others, and all others by a search. */
export class ManagerChoices {
  readonly #prisma: ReadDatabase['prisma'];
  readonly #employees: Employees;
  readonly #directory: Directory;

  constructor(
    { prisma }: ReadDatabase,
    { employees, directory }: { employees: Employees; directory: Directory },
  ) {
    this.#prisma = prisma;
    this.#employees = employees;
    this.#directory = directory;
  }

  /** All managers of an account; `null` when it has more than 50. Reads one entry of an index for each of them. */
  async all(accountId: AccountId): Promise<readonly EmployeeChoice[] | null> {
    const ids = await withScope(accountScope(accountId), () =>
      readManagerIds(this.#prisma, accountId, maximumManagers + 1),
    );
    if (ids.length > maximumManagers) return null;
    const names = await this.#employees.names(accountId, new Set(ids));
    return managersByName(ids.map((id) => ({ id, name: names.get(id) ?? id })));
  }

  /** The managers whose name, e-mail address or number matches a text, by last name; at most 50. */
  async search(accountId: AccountId, text: string): Promise<readonly EmployeeChoice[]> {
    const employees = await this.#find(accountId, text, maximumCandidates);
    const ids = employees.map(({ id }) => id);
    const rows = await withScope(
      accountScope(accountId),
      () => this.#prisma.$queryRaw<{ id: string }[]>`
        SELECT id FROM unnest(${ids}::text[]) AS candidates (id)
        WHERE EXISTS (SELECT FROM employees WHERE account_id = ${accountId} AND manager_id = candidates.id)`,
    );
    const managers = new Set(rows.map(({ id }) => id));
    return employees
      .filter(({ id }) => managers.has(id))
      .slice(0, maximumManagers)
      .map(toChoice);
  }

  /** The employees whose name, e-mail address or number matches a text, by last name; at most 50. */
  async searchEmployees(accountId: AccountId, text: string): Promise<readonly EmployeeChoice[]> {
    return (await this.#find(accountId, text, maximumManagers)).map(toChoice);
  }

  async #find(accountId: AccountId, text: string, size: number): Promise<readonly Employee[]> {
    const sort = (['lastName', 'firstName'] as const).map((key) => ({ key, descending: false }));
    const { employees } = await this.#directory.read(accountId, { text, filter: {}, sort, size, skip: 0 });
    return employees;
  }
}

function toChoice(employee: Employee): EmployeeChoice {
  return { id: employee.id, name: fullName(employee) };
}

function managersByName(managers: readonly EmployeeChoice[]): readonly EmployeeChoice[] {
  return managers.toSorted((one, other) => compareText(one.name, other.name));
}
