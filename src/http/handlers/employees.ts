import type { components } from '../../contract/generated.js';
import type { Handlers, Input, JsonText, Output } from '../../contract/handlers.js';
import { isStorableText } from '../../contract/text.js';
import type { Database } from '../../database/client.js';
import { accountScope, withScope } from '../../database/scope.js';
import { recordNotFound } from '../../problems/problem.js';
import type { Employee, EmployeeSortKey } from '../../services/employees/employee.js';
import type { Anchor, EmployeeSort } from '../../services/employees/employee-order.js';
import { EmployeeResources, type Slice } from '../../services/employees/employee-resources.js';
import { type EmployeeListRequest, listEmployees } from '../../services/employees/list-employees.js';
import { isOwnMoment, parseMoment } from '../moment.js';
import { PageRequest } from '../pagination.js';
import { parseSort } from '../sort.js';

type EmployeeResource = components['schemas']['Employee'];
type EmployeeDocument = components['schemas']['EmployeeDocument'];
type EmployeeList = components['schemas']['EmployeeList'];
type AttributeName = keyof EmployeeResource['attributes'];

/** The attributes of the contract, and the members of a record that they show. */
const attributes: Readonly<Record<AttributeName, EmployeeSortKey>> = {
  employee_number: 'employeeNumber',
  first_name: 'firstName',
  last_name: 'lastName',
  email: 'email',
  status: 'status',
  department: 'department',
  updated_at: 'updatedAt',
};

const attributeNames = Object.keys(attributes) as AttributeName[];

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
    const sort = parseSort(query.sort, attributes);
    const location = { baseUrl: this.#baseUrl, url: request.url };
    const page = new PageRequest<Anchor>(query, location, (value) => isAnchor(value, sort));
    if (isPlain(query)) {
      const slice = await this.#resources.slice({
        accountId: caller.accountId,
        size: page.size,
        from: 'anchor' in page.from ? { position: page.from.anchor.position } : page.from,
      });
      if (slice !== undefined) {
        return { status: 200, records: slice.count, body: listText(slice, page) };
      }
    }
    const list: EmployeeListRequest = {
      filter: {
        status: query['filter[status]'],
        department: query['filter[department]'],
        employeeNumber: query['filter[employee_number]'],
        email: query['filter[email]'],
        updatedSince: parseMoment(query['filter[updated_since]']),
      },
      sort,
      size: page.size,
      from: page.from,
    };
    const { accountId } = caller;
    const { employees, recordCount, nextAnchor } = await withScope(accountScope(accountId), () =>
      listEmployees(this.#database, accountId, list),
    );
    const shown = parseFields(query['fields[employees]']);
    return {
      status: 200,
      records: employees.length,
      body: {
        data: employees.map((employee) => toResource(employee, shown)),
        meta: { record_count: recordCount },
        links: page.links(recordCount, nextAnchor),
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

/** Whether nothing but a page is asked for: everybody, by id, with every attribute. */
function isPlain(query: Input<'listEmployees'>['query']): boolean {
  for (const name in query) if (!name.startsWith('page[')) return false;
  return true;
}

function listText(
  { resources, recordCount, next }: Slice,
  page: PageRequest<Anchor>,
): JsonText<EmployeeList> {
  const links = page.links(recordCount, next === null ? null : { values: [], position: next });
  return `{"data":[${resources}],"meta":{"record_count":${recordCount}},"links":${JSON.stringify(links)}}` as JsonText<EmployeeList>;
}

function toResource(employee: Employee, shown: readonly AttributeName[]): EmployeeResource {
  const entries = shown.map((name) => {
    const value = employee[attributes[name]];
    return [name, value instanceof Date ? value.toISOString() : value];
  });
  return { id: employee.id, type: 'employees', attributes: Object.fromEntries(entries) };
}

function parseFields(fields: string | undefined): AttributeName[] {
  const named = fields?.split(',');
  return named === undefined ? attributeNames : attributeNames.filter((name) => named.includes(name));
}

function isAnchor(value: unknown, sort: readonly EmployeeSort[]): value is Anchor {
  const { values, position } = (value ?? {}) as Partial<Anchor>;
  return (
    Array.isArray(values) &&
    values.length === sort.length &&
    sort.every(({ key }, index) =>
      key === 'updatedAt' ? isOwnMoment(values[index]) : isStorableText(values[index]),
    ) &&
    Number.isSafeInteger(position)
  );
}
