import {
  type AttributeAccess,
  isReadableCustom,
  isRestricted,
  restrictedMeta,
  withRestricted,
} from '../../platform/contract/attribute-access.js';
import type { components } from '../../platform/contract/generated.js';
import type { Handlers, Input, JsonText, Output } from '../../platform/http/binding/handlers.js';
import { etagOfBody, includesTag } from '../../platform/http/etag.js';
import { PageRequest, parseSort, parseTimestamp } from '../../platform/http/pagination.js';
import { invalidRequest } from '../../platform/problems/invalid-request.js';
import { recordNotFound } from '../../platform/problems/problem.js';
import { violation } from '../../platform/problems/rule-texts.js';
import { readCustomFilters } from './custom-filter-parameters.js';
import type { EmployeeMember } from './employee.js';
import { type EmployeeAttribute, employeeAttributes } from './employee-attributes.js';
import type { EmployeeFilter, RangeFilter, ValueFilter } from './employee-filter.js';
import { type EmployeeHistory, isPosition } from './employee-history.js';
import { type EmployeeAnchor, isEmployeeAnchor } from './employee-query.js';
import type { Employees } from './employees.js';

type EmployeeDocument = components['schemas']['EmployeeDocument'];
type EmployeeList = components['schemas']['EmployeeList'];
type EmployeeChangeList = components['schemas']['EmployeeChangeList'];

/** Attributes that employees can be sorted by, and their properties. */
const sortKeys = Object.fromEntries(employeeAttributes.map(({ name, member }) => [name, member]));

/** The value of a parameter of a query; an array for one that is repeated. */
type Given = string | readonly string[];

/** Adds the filter of a `filter[…]` parameter to the others. */
type AddFilter = (filter: Record<string, ValueFilter | RangeFilter>, given: Given) => void;

/** Attributes whose values have no commas. The others, such as a department, can have them, so their parameter is repeated. */
const inCommaLists: ReadonlySet<string> = new Set(['id', 'status']);

function addValues(name: string, member: EmployeeMember): AddFilter {
  return (filter, given) => {
    filter[member] = inCommaLists.has(name) ? String(given).split(',') : [given].flat();
  };
}

/** Adds a bound to a range, which can have the other one. Of two starts, the later one counts. */
function addBound(
  { type, member }: EmployeeAttribute,
  bound: keyof RangeFilter,
  toTime = firstMillisecond,
): AddFilter {
  return (filter, given) => {
    const text = type === 'date' ? String(given) : toTime(String(given)).toISOString();
    const range = filter[member] as RangeFilter | undefined;
    const start = bound === 'from' ? range?.from : undefined;
    filter[member] = { ...range, [bound]: start !== undefined && start > text ? start : text };
  };
}

/** The first millisecond that is not before a time, because stored times are in milliseconds. */
function firstMillisecond(text: string): Date {
  const isBetween = /\.\d{3}\d*[1-9]/.test(text);
  return new Date(parseTimestamp(text).getTime() + Number(isBetween));
}

/** The parameters of filters. Those that the contract does not declare are rejected before. */
const filterParameters: ReadonlyMap<string, AddFilter> = new Map(
  employeeAttributes.flatMap((attribute): [string, AddFilter][] => {
    const { name, type, member } = attribute;
    if (type === 'text') return [[`filter[${name}]`, addValues(name, member)]];
    return [
      [`filter[${name}][gte]`, addBound(attribute, 'from')],
      [`filter[${name}][lt]`, addBound(attribute, 'before')],
      ...(name === 'updated_at'
        ? [['filter[updated_since]', addBound(attribute, 'from', parseTimestamp)] as [string, AddFilter]]
        : []),
    ];
  }),
).set('filter[id]', addValues('id', 'id'));

/** Reads the `filter[…]` parameters, except the search. */
function readFilter(query: Readonly<Record<string, unknown>>): EmployeeFilter {
  const filter: Record<string, ValueFilter | RangeFilter> = {};
  for (const [parameter, given] of Object.entries(query))
    filterParameters.get(parameter)?.(filter, given as Given);
  return filter;
}

/**
 * A filter or an order by an attribute would reveal its values.
 *
 * @throws {Problem} 400 `invalid_request` that names each parameter with a restricted attribute
 */
function requireReadable(query: Readonly<Record<string, unknown>>, { restricted }: AttributeAccess): void {
  const sortKeys = String(query.sort ?? '').split(',');
  const invalid = restricted.flatMap((attribute) => [
    ...Object.keys(query)
      .filter((parameter) => parameter.startsWith(`filter[${attribute}]`))
      .map((parameter) => ({ parameter, attribute })),
    ...(sortKeys.some((key) => key === attribute || key === `-${attribute}`)
      ? [{ parameter: 'sort', attribute }]
      : []),
  ]);
  if (invalid.length === 0) return;
  throw invalidRequest(
    invalid.map(({ parameter, attribute }) => ({
      place: { parameter },
      violation: violation('readable_attribute', { attribute }),
    })),
  );
}

/** Types of the values of the attributes of the contract. */
const valueTypes = { text: 'text', date: 'date', timestamptz: 'date_time' } as const;

export class EmployeeHandlers
  implements
    Pick<Handlers, 'listEmployees' | 'getEmployee' | 'listEmployeeChanges' | 'listEmployeeAttributes'>
{
  readonly #employees: Employees;
  readonly #history: EmployeeHistory;
  readonly #baseUrl: string;

  constructor({ employees, history }: { employees: Employees; history: EmployeeHistory }, baseUrl: string) {
    this.#employees = employees;
    this.#history = history;
    this.#baseUrl = baseUrl;
  }

  /** @throws {Problem} 400 `invalid_request` */
  async listEmployees({
    caller,
    query,
    operation,
    request,
  }: Input<'listEmployees'>): Promise<Output<'listEmployees'>> {
    const { accountId, access } = caller;
    if (access.restricted.length > 0) requireReadable(query, access);
    const { filter: given } = query;
    const custom =
      given === undefined
        ? []
        : readCustomFilters(given, {
            attributes: await this.#employees.customAttributes(accountId),
            access,
            operation,
          });
    const sort = parseSort(query.sort, sortKeys);
    const location = { baseUrl: this.#baseUrl, url: request.url };
    const page = new PageRequest<EmployeeAnchor>(query, location, (value) => isEmployeeAnchor(value, sort));
    const { resources, count, recordCount, truncated, nextAnchor } = await this.#employees.list(accountId, {
      filter: readFilter(query),
      custom,
      search: query['filter[search]'],
      sort,
      size: page.size,
      from: page.from,
      access,
    });
    const { nextCursor, links } = page.locate(recordCount, nextAnchor);
    const search_truncated = query['filter[search]'] === undefined ? undefined : truncated;
    const meta = JSON.stringify({
      record_count: recordCount,
      next_cursor: nextCursor,
      search_truncated,
      ...restrictedMeta(access),
    });
    return {
      status: 200,
      records: count,
      body: `{"data":[${resources}],"meta":${meta},"links":${JSON.stringify(links)}}` as JsonText<EmployeeList>,
    };
  }

  /** @throws {Problem} 404 `not_found` */
  async getEmployee({ caller, params, request }: Input<'getEmployee'>): Promise<Output<'getEmployee'>> {
    const { accountId, access } = caller;
    const resource = await this.#employees.findResource(accountId, { id: params.employee_id, access });
    if (resource === null) throw recordNotFound();
    const body = withRestricted(`{"data":${resource}}`, access) as JsonText<EmployeeDocument>;
    const etag = etagOfBody(body);
    if (includesTag(request.headers['if-none-match'], etag)) return { status: 304, headers: { etag } };
    return { status: 200, records: 1, headers: { etag }, body };
  }

  /** @throws {Problem} 400 `invalid_request`, 404 `not_found` */
  async listEmployeeChanges({
    caller,
    params,
    query,
    request,
  }: Input<'listEmployeeChanges'>): Promise<Output<'listEmployeeChanges'>> {
    const { accountId, access } = caller;
    const page = new PageRequest(query, { baseUrl: this.#baseUrl, url: request.url }, isPosition);
    const found = await this.#history.page(accountId, {
      employeeId: params.employee_id,
      before: page.anchor,
      size: page.size,
      access,
    });
    if (found === null) throw recordNotFound();
    const { nextCursor, links } = page.locateNext(found.next);
    const afterData = { meta: { next_cursor: nextCursor, ...restrictedMeta(access) }, links };
    return {
      status: 200,
      records: found.changes.length,
      body: `{"data":[${found.changes}],${JSON.stringify(afterData).slice(1)}` as JsonText<EmployeeChangeList>,
    };
  }

  async listEmployeeAttributes({
    caller,
  }: Input<'listEmployeeAttributes'>): Promise<Output<'listEmployeeAttributes'>> {
    const { accountId, access } = caller;
    const ofContract = employeeAttributes.map(({ name, label, type, required }) => ({
      id: name,
      type: 'employee_attributes' as const,
      attributes: {
        ...{ key: name, custom: false, label, description: null, value_type: valueTypes[type] },
        ...{ choices: [], required, sensitive: false, restricted: isRestricted(name, access) },
      },
    }));
    const custom = await this.#employees.customAttributes(accountId);
    const readable = custom.filter(({ key }) => isReadableCustom(key, access));
    const ofAccount = readable.map(({ name, type, choices, ...attribute }) => ({
      id: name,
      type: 'employee_attributes' as const,
      attributes: {
        ...{ key: attribute.key, custom: true, label: attribute.label, description: attribute.description },
        ...{ value_type: type, choices: [...choices], required: attribute.required },
        ...{ sensitive: attribute.sensitive, restricted: false },
      },
    }));
    const data = [...ofContract, ...ofAccount];
    return { status: 200, body: { data, meta: { record_count: data.length } } };
  }
}
