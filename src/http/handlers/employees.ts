import type { components } from '../../contract/generated.js';
import { isStorableText } from '../../contract/text.js';
import type { Database } from '../../database/client.js';
import { accountScope, withScope } from '../../database/scope.js';
import { recordNotFound } from '../../problems/problem.js';
import type { Employee, EmployeeSortKey } from '../../services/employees/employee.js';
import type { Anchor, EmployeeSort } from '../../services/employees/employee-order.js';
import { EmployeeResources, type Slice } from '../../services/employees/employee-resources.js';
import { type EmployeeListRequest, listEmployees } from '../../services/employees/list-employees.js';
import type { Handlers, Input, JsonText, Output } from '../binding/handlers.js';
import { PageRequest } from '../pagination.js';
import { parseSort } from '../sort.js';
import { isServerTimestamp, parseTimestamp } from '../timestamps.js';

type EmployeeResource = components['schemas']['Employee'];
type EmployeeDocument = components['schemas']['EmployeeDocument'];
type EmployeeList = components['schemas']['EmployeeList'];

/** The attributes that employees are ordered by, and the members of a record that hold them. */
const sortKeys: Readonly<Record<keyof EmployeeResource['attributes'], EmployeeSortKey>> = {
  employee_number: 'employeeNumber',
  first_name: 'firstName',
  last_name: 'lastName',
  email: 'email',
  status: 'status',
  department: 'department',
  updated_at: 'updatedAt',
};

export class EmployeeHandlers implements Pick<Handlers, 'listEmployees' | 'getEmployee'> {
  readonly #database: Database;
  readonly #baseUrl: string;
  readonly #resources: EmployeeResources;

  constructor(database: Database, baseUrl: string) {
    this.#database = database;
    this.#baseUrl = baseUrl;
    this.#resources = new EmployeeResources(database);
  }

  async listEmployees({ caller, query, request }: Input<'listEmployees'>): Promise<Output<'listEmployees'>> {
    const sort = parseSort(query.sort, sortKeys);
    const location = { baseUrl: this.#baseUrl, url: request.url };
    const page = new PageRequest<Anchor>(query, location, (value) => isAnchor(value, sort));
    if (isPlain(query)) {
      const slice = await this.#resources.slice({
        accountId: caller.accountId,
        size: page.size,
        from: 'anchor' in page.from ? { position: page.from.anchor.position } : page.from,
      });
      return { status: 200, records: slice.count, body: listText(slice, page) };
    }
    const list: EmployeeListRequest = {
      filter: {
        status: query['filter[status]'],
        department: query['filter[department]'],
        employeeNumber: query['filter[employee_number]'],
        email: query['filter[email]'],
        updatedSince: parseTimestamp(query['filter[updated_since]']),
      },
      sort,
      size: page.size,
      from: page.from,
    };
    const { accountId } = caller;
    const { employees, recordCount, nextAnchor } = await withScope(accountScope(accountId), () =>
      listEmployees(this.#database, accountId, list),
    );
    const { nextCursor, links } = page.locate(recordCount, nextAnchor);
    return {
      status: 200,
      records: employees.length,
      body: {
        data: employees.map(toResource),
        meta: { record_count: recordCount, next_cursor: nextCursor },
        links,
      },
    };
  }

  /** @throws {Problem} 404 `not_found` */
  async getEmployee({ caller, params }: Input<'getEmployee'>): Promise<Output<'getEmployee'>> {
    const resource = await this.#resources.find(caller.accountId, params.employee_id);
    if (resource === null) throw recordNotFound();
    return { status: 200, records: 1, body: `{"data":${resource}}` as JsonText<EmployeeDocument> };
  }
}

/** Whether the request is for a page of all employees by id. */
function isPlain(query: Input<'listEmployees'>['query']): boolean {
  for (const name in query) if (!name.startsWith('page[')) return false;
  return true;
}

function listText(
  { resources, recordCount, next }: Slice,
  page: PageRequest<Anchor>,
): JsonText<EmployeeList> {
  const anchor = next === null ? null : { values: [], position: next };
  const { nextCursor, links } = page.locate(recordCount, anchor);
  const meta = { record_count: recordCount, next_cursor: nextCursor };
  return `{"data":[${resources}],"meta":${JSON.stringify(meta)},"links":${JSON.stringify(links)}}` as JsonText<EmployeeList>;
}

function toResource(employee: Employee): EmployeeResource {
  return {
    id: employee.id,
    type: 'employees',
    attributes: {
      employee_number: employee.employeeNumber,
      first_name: employee.firstName,
      last_name: employee.lastName,
      email: employee.email,
      status: employee.status,
      department: employee.department,
      updated_at: employee.updatedAt.toISOString(),
    },
  };
}

function isAnchor(value: unknown, sort: readonly EmployeeSort[]): value is Anchor {
  const { values, position } = (value ?? {}) as Partial<Anchor>;
  return (
    Array.isArray(values) &&
    values.length === sort.length &&
    sort.every(({ key }, index) =>
      key === 'updatedAt' ? isServerTimestamp(values[index]) : isStorableText(values[index]),
    ) &&
    Number.isSafeInteger(position)
  );
}
