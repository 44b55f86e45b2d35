import pg from 'pg';
import type { AccountId } from '../../platform/accounts/account-id.js';
import {
  type AttributeAccess,
  contractAccess,
  forEachShape,
  hiddenKeys,
} from '../../platform/contract/attribute-access.js';
import { Prisma, type ReadDatabase } from '../../platform/database/client.js';
import { employeePosition } from '../../platform/database/ids.js';
import { type Anchor, pageQuery, splitPage } from '../../platform/database/page-query.js';
import { accountScope, withScope } from '../../platform/database/scope.js';
import { type CustomAttribute, readActiveAttributes } from './custom-attributes.js';
import { customConditions } from './custom-filter.js';
import { columnsFor, type Employee, employeeSelection, employeesByName, fullName } from './employee.js';
import { filterConditions } from './employee-filter.js';
import {
  type EmployeeCount,
  type EmployeeListRequest,
  type EmployeePage,
  EmployeeQuery,
  fromEmployeeAnchor,
  isById,
  toEmployeeAnchor,
} from './employee-query.js';
import { readEmployee, readEmployees, readEmployeesByNumber } from './employee-references.js';
import { readSearch } from './employee-search.js';
import { employeeById, employeePage, employeeResource } from './employee-statements.js';

/** The resource object of a record. */
function resourceColumn(accountId: AccountId, access: AttributeAccess): Prisma.Sql {
  const keys = pg.escapeLiteral(access.keys);
  const shape = { ...access, readsCustom: access.custom.length > 0 };
  const hidden = `(${hiddenKeys(pg.escapeLiteral(accountId), keys)})`;
  return Prisma.raw(`${employeeResource(shape, { keys, hidden })} AS resource`);
}

/** Number of employees up to which those that match are read and sorted. A longer list is read in its order until a page is full. */
const fewEmployees = 5_000;

export class Employees {
  readonly #prisma: ReadDatabase['prisma'];
  readonly #findById;
  readonly #readPageById;

  constructor(database: ReadDatabase) {
    this.#prisma = database.prisma;
    this.#findById = forEachShape((shape) => employeeById(database, shape));
    this.#readPageById = forEachShape((shape) => employeePage(database, shape));
  }

  /**
   * Reads the account's employee with this id as JSON; `null` if this account has none with this id.
   *
   * @param access the JSON has the attributes that the reader may read
   */
  findResource(
    accountId: AccountId,
    { id, access }: { id: string; access: AttributeAccess },
  ): Promise<string | null> {
    return this.#findById(access)({ accountId, id, keys: access.keys });
  }

  /** Reads the account's employee with this id; `null` if this account has none with this id. */
  get(accountId: AccountId, id: string): Promise<Employee | null> {
    return withScope(accountScope(accountId), () => readEmployee(this.#prisma, accountId, id));
  }

  /** Reads the account's employees with these ids, by last name. Ids that no employee has are ignored. */
  async byIds(accountId: AccountId, ids: readonly string[]): Promise<Employee[]> {
    const employees = await withScope(accountScope(accountId), () =>
      readEmployees(this.#prisma, accountId, ids),
    );
    return employeesByName(employees);
  }

  /** Reads the account's employees with these employee numbers. */
  byNumber(accountId: AccountId, numbers: readonly string[]): Promise<Employee[]> {
    return withScope(accountScope(accountId), () =>
      readEmployeesByNumber(this.#prisma, accountId, [...new Set(numbers)]),
    );
  }

  /** Reads the names of the account's employees with these ids: first name, then last name. */
  async names(accountId: AccountId, ids: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> {
    const positions = [...ids].map(employeePosition).filter((position) => position !== -1);
    if (positions.length === 0) return new Map();
    const rows = await withScope(
      accountScope(accountId),
      () => this.#prisma.$queryRaw<Pick<Employee, 'id' | 'firstName' | 'lastName'>[]>`
        SELECT id, first_name AS "firstName", last_name AS "lastName" FROM employees
        WHERE account_id = ${accountId} AND position = ANY (${positions}::bigint[]) AND id = ANY (${[...ids]}::text[])`,
    );
    return new Map(rows.map((employee) => [employee.id, fullName(employee)]));
  }

  /** Reads another employee of the account who has this e-mail address, in upper or lower case; `null` when there is none. */
  async otherWithEmail(
    accountId: AccountId,
    { email, id }: { email: string; id: string | undefined },
  ): Promise<Employee | null> {
    const request = { filter: { email: [email] }, sort: [], size: 2, from: { skip: 0 } };
    const { rows } = await this.#read<Employee>(accountId, employeeSelection, request);
    return rows.find((employee) => employee.id !== id) ?? null;
  }

  /** Reads the custom attributes of an account that are not archived, in the order in which they were added. */
  customAttributes(accountId: AccountId): Promise<CustomAttribute[]> {
    return withScope(accountScope(accountId), () => readActiveAttributes(this.#prisma, accountId));
  }

  /**
   * Reads when an attribute of an employee that a reader may read was last changed; `null` if this account has no employee with
   * this id.
   */
  async lastChange(
    accountId: AccountId,
    { id, access }: { id: string; access: AttributeAccess },
  ): Promise<Date | null> {
    const { updatedAt } = columnsFor(accountId, access);
    const rows = await withScope(
      accountScope(accountId),
      () => this.#prisma.$queryRaw<{ at: Date }[]>`
        SELECT ${updatedAt.name} AS at FROM employees
        WHERE account_id = ${accountId} AND position = ${employeePosition(id)} AND id = ${id}`,
    );
    return rows[0]?.at ?? null;
  }

  /** Reads the statuses that an account uses, most frequent first; at most 100. */
  async statuses(accountId: AccountId): Promise<string[]> {
    const rows = await withScope(
      accountScope(accountId),
      () => this.#prisma.$queryRaw<{ status: string }[]>`
        SELECT status FROM employee_facets WHERE account_id = ${accountId}
        GROUP BY status ORDER BY sum(count) DESC, status LIMIT 100`,
    );
    return rows.map(({ status }) => status);
  }

  /**
   * Reads a page of an account's employees. The cost does not depend on the position of the page in a list by id, and in a
   * filtered or sorted list if the page starts after an anchor.
   */
  async list(accountId: AccountId, request: EmployeeListRequest): Promise<EmployeePage> {
    return isWholeListById(request) ? this.#pageById(accountId, request) : this.#page(accountId, request);
  }

  /** Reads a page of the employees with a manager, by last name. */
  async directReports(
    accountId: AccountId,
    managerId: string,
    { size, skip }: { size: number; skip: number },
  ): Promise<{ employees: readonly Employee[]; recordCount: number }> {
    const { rows, recordCount } = await this.#read<Employee>(accountId, employeeSelection, {
      filter: { managerId: [managerId] },
      sort: (['lastName', 'firstName'] as const).map((key) => ({ key, descending: false })),
      size,
      from: { skip },
    });
    return { employees: rows, recordCount };
  }

  /** Reads a page of the whole list by id. Concurrent requests share one statement. */
  async #pageById(
    accountId: AccountId,
    { size, from, access = contractAccess }: EmployeeListRequest,
  ): Promise<EmployeePage> {
    const page = await this.#readPageById(access)({
      accountId,
      size,
      keys: access.keys,
      from: 'anchor' in from ? { position: from.anchor.position } : from,
    });
    // The statement returns one row for each request, even for an account without employees.
    if (page === null) throw new Error('The statement for a page of employees returned no row');
    return page;
  }

  async #page(accountId: AccountId, request: EmployeeListRequest): Promise<EmployeePage> {
    const columns = resourceColumn(accountId, request.access ?? contractAccess);
    const read = await this.#read<{ resource: string }>(accountId, columns, request);
    const { rows, recordCount, truncated, nextAnchor } = read;
    return {
      resources: rows.map(({ resource }) => resource).join(','),
      count: rows.length,
      recordCount,
      truncated,
      nextAnchor: nextAnchor === null ? null : toEmployeeAnchor(nextAnchor),
    };
  }

  async #read<Row extends object>(
    accountId: AccountId,
    selection: Prisma.Sql,
    { filter, custom = [], search, sort, size, from, access = contractAccess }: EmployeeListRequest,
  ): Promise<{
    rows: readonly Row[];
    recordCount: number;
    truncated: boolean;
    nextAnchor: Anchor | null;
  }> {
    const start = 'anchor' in from ? { anchor: fromEmployeeAnchor(from.anchor) } : from;
    return withScope(accountScope(accountId), async () => {
      const parts = search === undefined ? null : await readSearch(this.#prisma, search);
      const columns = columnsFor(accountId, access);
      const conditions = [...filterConditions(accountId, filter, columns), ...customConditions(custom)];
      const query = new EmployeeQuery(accountId, conditions, { parts });
      // Before the page, because PostgreSQL would read the whole list in search of few employees, or of none.
      const [total] = await this.#prisma.$queryRaw<EmployeeCount[]>(query.countFound());
      const count = Number(total?.count ?? 0);
      const rowsInOrder = query.inOrder(sort, { few: count <= fewEmployees, columns });
      const page = pageQuery(rowsInOrder, selection, { size, start });
      const rows = count === 0 ? [] : await this.#prisma.$queryRaw<(Row & { anchor: Anchor })[]>(page);
      return {
        ...splitPage(rows, size),
        recordCount: count,
        truncated: total?.more ?? false,
      };
    });
  }
}

function isWholeListById({ filter, custom = [], search, sort }: EmployeeListRequest): boolean {
  const isFiltered = custom.length > 0 || Object.values(filter).some((value) => value !== undefined);
  return isById(sort) && search === undefined && !isFiltered;
}
