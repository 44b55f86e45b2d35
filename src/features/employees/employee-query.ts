import type { AccountId } from '../../platform/accounts/account-id.js';
import { Prisma } from '../../platform/database/generated/client.js';
import { employeePosition } from '../../platform/database/ids.js';
import {
  type Anchor,
  isAnchor,
  type OrderedRows,
  type OrderTerm,
} from '../../platform/database/page-query.js';
import { type Employee, type EmployeeColumn, employeeColumns } from './employee.js';
import { candidateRanges, matchesParts, maximumMatches, type SearchPart } from './employee-search.js';

/** Values of an attribute, one of which an employee must have; `null` or an empty text: employees without a value. */
export type ValueFilter = readonly (string | null)[];

/** A range of the values of an attribute, as text of one format, which sorts as the values. The range can be empty. */
export interface RangeFilter {
  /** The first value of the range. */
  readonly from?: string | undefined;
  /** The first value after the range. */
  readonly before?: string | undefined;
}

/** A filter of employees. An employee must match all members that are present. */
export type EmployeeFilter = { readonly [Member in keyof Employee]?: ValueFilter | RangeFilter | undefined };

export function filterConditions(accountId: AccountId, filter: EmployeeFilter): EmployeeCondition[] {
  return Object.entries(filter).flatMap(([member, wanted]) => {
    if (wanted === undefined) return [];
    const column = employeeColumns[member as keyof Employee];
    const inIdOrder = column.facets === 'employee_facets' && isValueFilter(wanted) && wanted.length === 1;
    return [{ columns: [column], sql: matches(accountId, column, wanted), emptyIsNoValue: true, inIdOrder }];
  });
}

function matches(
  accountId: AccountId,
  column: EmployeeColumn,
  wanted: ValueFilter | RangeFilter,
): Prisma.Sql {
  if (!isValueFilter(wanted)) return isInRange(column, wanted);
  const texts = wanted.filter((value): value is string => value !== null && value !== '');
  const hasValue = () =>
    column === employeeColumns.email ? isOneOfInAnyCase(accountId, texts) : isOneOf(column, texts);
  if (texts.length === wanted.length) return hasValue();
  const without = hasNoValue(column);
  return texts.length === 0 ? without : Prisma.sql`(${hasValue()} OR ${without})`;
}

function isValueFilter(wanted: ValueFilter | RangeFilter): wanted is ValueFilter {
  return Array.isArray(wanted);
}

/**
 * Most addresses are in lower case. The column `folded_email` has the lower case of the others. Two queries and not OR, for which
 * PostgreSQL would read all employees, because bitmap scans are off for pages.
 */
function isOneOfInAnyCase(accountId: AccountId, addresses: readonly string[]): Prisma.Sql {
  const found = addresses.flatMap((address) =>
    ['email', 'folded_email'].map(
      (name) => Prisma.sql`
      SELECT position FROM employees
      WHERE account_id = ${accountId} AND ${Prisma.raw(name)} = lower(${address} COLLATE "C")`,
    ),
  );
  return Prisma.sql`position = ANY (ARRAY(${Prisma.join(found, ' UNION ALL ')}))`;
}

function isInRange(column: EmployeeColumn, { from, before }: RangeFilter): Prisma.Sql {
  // PostgreSQL takes a range that ends before it starts for one with employees, and would read all employees to find them.
  if (from !== undefined && before !== undefined && from >= before) return Prisma.sql`false`;
  const bounds = [
    ...(from === undefined ? [] : [compare(column, '>=', from)]),
    ...(before === undefined ? [] : [compare(column, '<', before)]),
  ];
  return bounds.length === 0 ? Prisma.sql`true` : Prisma.join(bounds, ' AND ');
}

/** Builds the condition that a column compares with a value. Its parameter is a string. */
export function compare(
  { name, type }: Pick<EmployeeColumn, 'name' | 'type'>,
  operator: '=' | '<>' | '<' | '<=' | '>' | '>=',
  text: string,
): Prisma.Sql {
  const cast = Prisma.raw(type === 'text' ? '::text' : `::text::${type}`);
  return Prisma.sql`${name} ${Prisma.raw(operator)} ${text}${cast}`;
}

/** Builds the condition that a column has one of the values. Its parameters are strings and arrays of strings. */
export function isOneOf(column: EmployeeColumn, texts: readonly string[]): Prisma.Sql {
  if (column === employeeColumns.id) return hasOneOfIds(texts);
  const [first] = texts;
  // With `=`, PostgreSQL can read the rows in the order of an index.
  if (first !== undefined && texts.length === 1) return compare(column, '=', first);
  // One parameter for the list: with one for each value, a statement is much slower where parameters are settings.
  return Prisma.sql`${column.name} = ANY (${textArray(texts, column)})`;
}

/** Builds the expression for an array of values of a column. Its parameter is an array of strings. */
export function textArray(texts: readonly string[], { type }: Pick<EmployeeColumn, 'type'>): Prisma.Sql {
  const array = Prisma.sql`${texts}::text[]`;
  return type === 'text' ? array : Prisma.sql`${array}::${Prisma.raw(type)}[]`;
}

/** Finds ids by their positions, which the index contains. */
function hasOneOfIds(ids: readonly string[]): Prisma.Sql {
  const positions = ids.map(employeePosition);
  if (ids.length === 1)
    return Prisma.sql`(position = ${String(positions[0])}::text::int8 AND id = ${ids[0]}::text)`;
  // The positions are one text, because with row-level security PostgreSQL does not use an index for a cast from text[].
  return Prisma.sql`(position = ANY (${`{${positions}}`}::text::int8[]) AND id = ANY (${ids}::text[]))`;
}

/** Builds the condition that a column has no value. An empty text is none. */
export function hasNoValue({ name, type }: Pick<EmployeeColumn, 'name' | 'type'>): Prisma.Sql {
  return type === 'text' ? Prisma.sql`(${name} IS NULL OR ${name} = '')` : Prisma.sql`${name} IS NULL`;
}

export interface EmployeeSort {
  readonly key: keyof Employee;
  readonly descending: boolean;
}

/** The last employee of a page: its values in the order of the sort keys, and its position. */
export interface EmployeeAnchor {
  readonly values: readonly string[];
  readonly position: number;
}

/** Ends a sort order with the id, in the direction of the last key: one index serves both directions. */
export function employeeOrder(sort: readonly EmployeeSort[]): OrderTerm[] {
  // Keys after the id do not change the order, because ids are unique.
  const end = sort.findIndex(({ key }) => key === 'id');
  const byId: EmployeeSort = { key: 'id', descending: sort.at(-1)?.descending ?? false };
  const keys = end === -1 ? [...sort, byId] : sort.slice(0, end + 1);
  return keys.flatMap(({ key, descending }) =>
    employeeColumns[key].order.map((term) => ({ ...term, descending })),
  );
}

/** Returns whether a sort order is ascending by id. */
export function isById([first]: readonly EmployeeSort[]): boolean {
  return first === undefined || (first.key === 'id' && !first.descending);
}

/** Returns whether a value from a client can be the anchor of an employee in a sort order. */
export function isEmployeeAnchor(value: unknown, sort: readonly EmployeeSort[]): value is EmployeeAnchor {
  const { values, position } = (value ?? {}) as Partial<EmployeeAnchor>;
  return (
    Array.isArray(values) &&
    typeof position === 'number' &&
    isAnchor(employeeOrder(sort), [...values, String(position)])
  );
}

/** Reads the anchor of a row; its last term is the position. */
export function toEmployeeAnchor(anchor: Anchor): EmployeeAnchor {
  return { values: anchor.slice(0, -1), position: Number(anchor.at(-1)) };
}

/** The values that {@link toEmployeeAnchor} reads. */
export function fromEmployeeAnchor({ values, position }: EmployeeAnchor): Anchor {
  return [...values, String(position)];
}

/** A page of a list of employees. */
export interface EmployeeListRequest {
  readonly filter: EmployeeFilter;
  /** Starts of words of a name, of an e-mail address or of an employee number. Absent: all employees. */
  readonly search?: string | undefined;
  /** Empty: by id. */
  readonly sort: readonly EmployeeSort[];
  readonly size: number;
  /** Start of the page: after an employee of an earlier page, or after a number of employees. */
  readonly from: { readonly anchor: EmployeeAnchor } | { readonly skip: number };
}

/** A page of employees as resource objects. */
export interface EmployeePage {
  /** Resource objects as JSON, separated by commas. */
  readonly resources: string;
  /** Number of resource objects. */
  readonly count: number;
  /** Total number of employees on all pages. */
  readonly recordCount: number;
  /** Whether the search stopped before it had read all employees that can match. Absent without a search. */
  readonly truncated?: boolean;
  /** Start of the next page; `null` on the last page. */
  readonly nextAnchor: EmployeeAnchor | null;
}

/** A condition on employees, and the columns that it reads. */
export interface EmployeeCondition {
  readonly columns: readonly EmployeeColumn[];
  readonly sql: Prisma.Sql;
  /** Whether an empty text is no value for it, as in the maintained counts by location. Default: it is a value. */
  readonly emptyIsNoValue?: true;
  /** Whether an index has the employees that meet it in the order of ids. Default: false. */
  readonly inIdOrder?: boolean;
}

/** A value that employees are grouped by. */
type GroupColumn = Pick<EmployeeColumn, 'name' | 'facets'>;

/** A number of employees. */
export interface EmployeeCount {
  readonly count: string;
  /** Whether more employees may match, because the search or the count has a limit. */
  readonly more: boolean;
}

/**
 * Builds queries for the employees of one account that meet every condition: pages, count and groups. With parts of a search text,
 * only employees that match all of them: the search reads at most {@link maximumMatches} employees for each way to find them.
 */
export class EmployeeQuery {
  readonly #accountId: AccountId;
  readonly #conditions: readonly EmployeeCondition[];
  readonly #parts: readonly SearchPart[] | null;

  constructor(
    accountId: AccountId,
    conditions: readonly EmployeeCondition[],
    parts: readonly SearchPart[] | null = null,
  ) {
    this.#accountId = accountId;
    this.#conditions = conditions;
    this.#parts = parts;
  }

  /**
   * The employees in a sort order. Employees with equal values are ordered by id, in the direction of the last key.
   *
   * @param few whether few employees match, so that a list by id must not be read in its order until a page is full, unless an index
   *   has exactly these employees in that order. Default: false.
   */
  inOrder(sort: readonly EmployeeSort[], { few = false }: { readonly few?: boolean } = {}): OrderedRows {
    const seeks = this.#conditions.length === 0 && this.#parts === null && isById(sort);
    const [first, ...others] = this.#conditions;
    const inIdOrder =
      this.#parts === null && (first === undefined || (first.inIdOrder === true && others.length === 0));
    return {
      source:
        this.#parts === null
          ? Prisma.sql`employees`
          : Prisma.sql`(SELECT DISTINCT ON (position) * FROM (${this.#candidates(this.#parts)}) found) employees`,
      condition: this.#condition(),
      order: few && !inIdOrder ? employeeOrder(sort).map(withoutIndex) : employeeOrder(sort),
      seek: seeks ? (skip) => this.#seek(skip) : undefined,
    };
  }

  /**
   * Query for the {@link EmployeeCount}.
   *
   * @param limit maximum number of employees that are counted one by one. Default: all.
   */
  countFound({ limit }: { readonly limit?: number } = {}): Prisma.Sql {
    if (this.#parts !== null) {
      return Prisma.sql`
        WITH candidates AS MATERIALIZED (${this.#candidates(this.#parts)})
        SELECT (SELECT count(DISTINCT position) FROM candidates WHERE ${this.#condition()})::text AS count,
          EXISTS (SELECT FROM candidates GROUP BY search_range HAVING count(*) > ${maximumMatches}) AS more`;
    }
    if (limit === undefined || this.#maintained() !== null)
      return Prisma.sql`SELECT count, false AS more FROM (${this.count()}) AS total`;
    return Prisma.sql`
      SELECT count(*)::text AS count, count(*) > ${limit} AS more
      FROM (SELECT FROM employees WHERE ${this.#condition()} LIMIT ${Prisma.raw(String(limit + 1))}) found`;
  }

  /** Query for the number of employees, as the text `count`. Without a search. */
  count(): Prisma.Sql {
    if (this.#conditions.length === 0) {
      return Prisma.sql`
        SELECT coalesce(sum(count), 0)::text AS count FROM employee_counts
        WHERE account_id = ${this.#accountId} AND level = 4`;
    }
    const { source, size } = this.#maintained() ?? counted;
    return Prisma.sql`SELECT coalesce(${size}, 0)::text AS count FROM ${source} WHERE ${this.#condition()}`;
  }

  /** Query for the groups of employees with the same values: the values as `key_0`, `key_1` …, and their `size`. */
  groups(columns: readonly GroupColumn[]): Prisma.Sql {
    const { source, size } = this.#facets(columns) ?? counted;
    const keys = columns.map(({ name }, index) => Prisma.sql`${name} AS ${Prisma.raw(`key_${index}`)}`);
    return Prisma.sql`
      SELECT ${Prisma.join(keys)}, ${size} AS size FROM ${source} WHERE ${this.#condition()}
      GROUP BY ${Prisma.raw(columns.map((_, index) => index + 1).join(', '))}`;
  }

  #candidates(parts: readonly SearchPart[]): Prisma.Sql {
    return Prisma.join(candidateRanges(this.#accountId, parts), ' UNION ALL ');
  }

  #condition(): Prisma.Sql {
    const conditions = this.#conditions.map(({ sql }) => sql);
    if (this.#parts !== null) conditions.push(matchesParts(this.#parts));
    return Prisma.join([Prisma.sql`account_id = ${this.#accountId}`, ...conditions], ' AND ');
  }

  /** The maintained counts for the query; `null`: the employees must be counted. */
  #maintained(): CountedRows | null {
    return this.#facets([]) ?? this.#facetsOfLocation();
  }

  /** The maintained counts by status and department; `null` if the query reads another column. */
  #facets(grouped: readonly GroupColumn[]): CountedRows | null {
    const columns = [...grouped, ...this.#conditions.flatMap((condition) => condition.columns)];
    return columns.every(({ facets }) => facets === 'employee_facets') ? maintained.employee_facets : null;
  }

  /** The maintained counts by location; `null` if the query reads another column. In them, no location is an empty text. */
  #facetsOfLocation(): CountedRows | null {
    const isByLocation = this.#conditions.every(
      ({ columns, emptyIsNoValue }) =>
        emptyIsNoValue && columns.every(({ facets }) => facets === 'employee_location_facets'),
    );
    return isByLocation ? maintained.employee_location_facets : null;
  }

  #seek(skip: number): Prisma.Sql {
    return Prisma.sql`position >= (SELECT employee_position_at(${this.#accountId}, ${skip}::int8))`;
  }
}

/** A term that PostgreSQL cannot read in the order of an index. Only for positions, whose index has all employees. */
function withoutIndex(term: OrderTerm): OrderTerm {
  return term.type === 'int8' ? { ...term, value: Prisma.sql`(${term.value} + 0)` } : term;
}

/** A table, and the expression for the number of employees in its rows. */
interface CountedRows {
  readonly source: Prisma.Sql;
  readonly size: Prisma.Sql;
}

const counted: CountedRows = { source: Prisma.sql`employees`, size: Prisma.sql`count(*)` };

const sum = Prisma.sql`sum(count)::int8`;

const maintained = {
  employee_facets: { source: Prisma.sql`employee_facets`, size: sum },
  employee_location_facets: { source: Prisma.sql`employee_location_facets`, size: sum },
} as const;
