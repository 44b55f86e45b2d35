import type { components } from '../../platform/contract/generated.js';
import type { Handlers, Input, JsonText, Output } from '../../platform/http/binding/handlers.js';
import { etagOfBody, includesTag } from '../../platform/http/etag.js';
import { PageRequest, parseSort, parseTimestamp } from '../../platform/http/pagination.js';
import { recordNotFound } from '../../platform/problems/problem.js';
import { employeeAttributes, givenAttributes } from './employee-attributes.js';
import {
  type EmployeeAnchor,
  type EmployeeFilter,
  isEmployeeAnchor,
  type RangeFilter,
} from './employee-query.js';
import type { Employees } from './employees.js';

type EmployeeDocument = components['schemas']['EmployeeDocument'];
type EmployeeList = components['schemas']['EmployeeList'];

/** Attributes that employees can be sorted by, and their properties. */
const sortKeys = Object.fromEntries(employeeAttributes.map(({ name, member }) => [name, member]));

/** The filter of a `filter[…]` parameter with one or more values. */
type Read = (given: string | readonly string[], earlier: EmployeeFilter) => EmployeeFilter;

/** Attributes whose values have no commas. The others, such as a department, can have them, so their parameter is repeated. */
const inCommaLists: ReadonlySet<string> = new Set(['id', 'status']);

/** Reads the bound of a range, which can have another one. Of two first values, the later one counts. */
function readBound(member: 'hireDate' | 'terminationDate' | 'updatedAt', bound: keyof RangeFilter): Read {
  return (given, earlier) => {
    const text =
      member === 'updatedAt' ? new Date(parseTimestamp(String(given)) ?? 0).toISOString() : String(given);
    const range = earlier[member] as RangeFilter | undefined;
    const other = bound === 'from' ? range?.from : undefined;
    return { [member]: { ...range, [bound]: other !== undefined && other > text ? other : text } };
  };
}

function readers(): Iterable<[parameter: string, read: Read]> {
  const values = [{ name: 'id', member: 'id' }, ...givenAttributes].map(
    ({ name, member }): [string, Read] => [
      `filter[${name}]`,
      (given) => ({ [member]: inCommaLists.has(name) ? String(given).split(',') : [given].flat() }),
    ],
  );
  const ranges = (
    [
      ['hire_date', 'hireDate'],
      ['termination_date', 'terminationDate'],
      ['updated_at', 'updatedAt'],
    ] as const
  ).flatMap(([name, member]): [string, Read][] => [
    [`filter[${name}][gte]`, readBound(member, 'from')],
    [`filter[${name}][lt]`, readBound(member, 'before')],
  ]);
  return [...values, ...ranges, ['filter[updated_since]', readBound('updatedAt', 'from')]];
}

const filterParameters: ReadonlyMap<string, Read> = new Map(readers());

/** Reads the `filter[…]` parameters, except the search. */
function readFilter(query: Readonly<Record<string, unknown>>): EmployeeFilter {
  let filter: EmployeeFilter = {};
  for (const [parameter, given] of Object.entries(query)) {
    const read = filterParameters.get(parameter);
    if (read !== undefined) filter = { ...filter, ...read(given as string | string[], filter) };
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
    const { resources, count, recordCount, truncated, nextAnchor } = await this.#employees.list(
      caller.accountId,
      {
        filter: readFilter(query),
        search: query['filter[search]'],
        sort,
        size: page.size,
        from: page.from,
      },
    );
    const { nextCursor, links } = page.locate(recordCount, nextAnchor);
    const search_truncated = query['filter[search]'] === undefined ? undefined : truncated;
    const meta = JSON.stringify({ record_count: recordCount, next_cursor: nextCursor, search_truncated });
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
