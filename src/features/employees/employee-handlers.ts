import type { components } from '../../platform/contract/generated.js';
import type { Handlers, Input, JsonText, Output } from '../../platform/http/binding/handlers.js';
import { etagOfBody, includesTag } from '../../platform/http/etag.js';
import { PageRequest, parseSort, parseTimestamp } from '../../platform/http/pagination.js';
import { invalidParameter } from '../../platform/problems/invalid-request.js';
import { recordNotFound } from '../../platform/problems/problem.js';
import { violation } from '../../platform/problems/rule-texts.js';
import { employeeAttributes, givenAttributes } from './employee-attributes.js';
import { type EmployeeAnchor, type EmployeeFilter, isEmployeeAnchor } from './employee-query.js';
import type { Employees } from './employees.js';

type EmployeeDocument = components['schemas']['EmployeeDocument'];
type EmployeeList = components['schemas']['EmployeeList'];

/** Attributes that employees can be sorted by, and their properties. */
const sortKeys = Object.fromEntries(employeeAttributes.map(({ name, member }) => [name, member]));

const filterParameters = givenAttributes.map(({ name, member }) => [`filter[${name}]`, member] as const);

/**
 * Reads the `filter[…]` parameters that name an attribute.
 *
 * @throws {Problem} 400 `invalid_request` for several statuses
 */
function readFilter(query: Readonly<Record<string, unknown>>): EmployeeFilter {
  const filter: Record<string, unknown> = {};
  for (const [parameter, member] of filterParameters) {
    if (query[parameter] !== undefined) filter[member] = query[parameter];
  }
  // Otherwise a client that expects a list of statuses would get an empty page.
  if (String(query['filter[status]'] ?? '').includes(',')) {
    throw invalidParameter('filter[status]', violation('single_status'));
  }
  return filter;
}

export class EmployeeHandlers implements Pick<Handlers, 'listEmployees' | 'getEmployee'> {
  readonly #employees: Employees;
  readonly #baseUrl: string;

  constructor(employees: Employees, baseUrl: string) {
    this.#employees = employees;
    this.#baseUrl = baseUrl;
  }

  async listEmployees({ caller, query, request }: Input<'listEmployees'>): Promise<Output<'listEmployees'>> {
    const sort = parseSort(query.sort, sortKeys);
    const location = { baseUrl: this.#baseUrl, url: request.url };
    const page = new PageRequest<EmployeeAnchor>(query, location, (value) => isEmployeeAnchor(value, sort));
    const { resources, count, recordCount, nextAnchor } = await this.#employees.list(caller.accountId, {
      filter: {
        ...readFilter(query),
        updatedSince: parseTimestamp(query['filter[updated_since]']),
      },
      sort,
      size: page.size,
      from: page.from,
    });
    const { nextCursor, links } = page.locate(recordCount, nextAnchor);
    const meta = JSON.stringify({ record_count: recordCount, next_cursor: nextCursor });
    return {
      status: 200,
      records: count,
      body: `{"data":[${resources}],"meta":${meta},"links":${JSON.stringify(links)}}` as JsonText<EmployeeList>,
    };
  }

  /** @throws {Problem} 404 `not_found` */
  async getEmployee({ caller, params, request }: Input<'getEmployee'>): Promise<Output<'getEmployee'>> {
    const resource = await this.#employees.findResource(caller.accountId, params.employee_id);
    if (resource === null) throw recordNotFound();
    const body = `{"data":${resource}}` as JsonText<EmployeeDocument>;
    const etag = etagOfBody(body);
    if (includesTag(request.headers['if-none-match'], etag)) return { status: 304, headers: { etag } };
    return { status: 200, records: 1, headers: { etag }, body };
  }
}
