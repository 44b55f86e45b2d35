import type { AccountId } from '../../platform/accounts/account-id.js';
import type { AttributeAccess } from '../../platform/contract/attribute-access.js';
import { Prisma } from '../../platform/database/generated/client.js';
import {
  type Anchor,
  isAnchor,
  type OrderedRows,
  type OrderTerm,
} from '../../platform/database/page-query.js';
import type { CustomFilter } from './custom-filter.js';
import { type EmployeeColumn, type EmployeeMember, employeeColumns } from './employee.js';
import type { EmployeeCondition, EmployeeFilter } from './employee-filter.js';
import { candidateRanges, matchesParts, maximumMatches, type SearchPart } from './employee-search.js';
import { employeesAsOf } from './employees-as-of.js';

export interface EmployeeSort {
  readonly key: EmployeeMember;
  readonly descending: boolean;
}

/** The last employee of a page: its values in the order of the sort keys, and its position. */
export interface EmployeeAnchor {
  readonly values: readonly string[];
  readonly position: number;
}

/** Columns by the key of a sort order. */
export type SortColumns = Readonly<Record<string, EmployeeColumn>>;

/** A key of a sort order whose columns need not be those of the contract. */
interface ColumnSort extends Pick<EmployeeSort, 'descending'> {
  readonly key: string;
}

/** Ends a sort order with the id, in the direction of the last key: one index serves both directions. */
export function employeeOrder(
  sort: readonly ColumnSort[],
  columns: SortColumns = employeeColumns,
): OrderTerm[] {
  // Keys after the id do not change the order, because ids are unique.
  const end = sort.findIndex(({ key }) => key === 'id');
  const byId: ColumnSort = { key: 'id', descending: sort.at(-1)?.descending ?? false };
  const keys = end === -1 ? [...sort, byId] : sort.slice(0, end + 1);
  return keys.flatMap(({ key, descending }) => {
    const column = columns[key];
    // Keys are validated. An unknown one must not be skipped.
    if (column === undefined) throw new Error(`Employees have no column ${key}`);
    return column.order.map((term) => ({ ...term, descending }));
  });
}

/** Returns whether a sort order is ascending by id. */
export function isById([first]: readonly ColumnSort[]): boolean {
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
  /** Filters of custom attributes that the reader may read. Default: none. */
  readonly custom?: readonly CustomFilter[];
  /** Starts of words of a name, of an e-mail address or of an employee number. Absent: all employees. */
  readonly search?: string | undefined;
  /** Empty: by id. */
  readonly sort: readonly EmployeeSort[];
  readonly size: number;
  /** Start of the page: after an employee of an earlier page, or after a number of employees. */
  readonly from: { readonly anchor: EmployeeAnchor } | { readonly skip: number };
  /** Neither filter nor sort use an attribute that the reader may not read. Default: access to the attributes of the contract. */
  readonly access?: AttributeAccess;
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

/** A value that employees are grouped by. With a join, an employee can have several. */
type GroupColumn = Pick<EmployeeColumn, 'name' | 'facets'> & { readonly join?: Prisma.Sql };

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
  readonly #history: Prisma.Sql | null;

  /** @param asOf the time whose employees are read. Default: the present one. Without a search. */
  constructor(
    accountId: AccountId,
    conditions: readonly EmployeeCondition[],
    {
      parts = null,
      asOf,
    }: { readonly parts?: readonly SearchPart[] | null; readonly asOf?: Date | undefined } = {},
  ) {
    this.#accountId = accountId;
    this.#conditions = conditions;
    this.#parts = parts;
    this.#history = asOf === undefined ? null : employeesAsOf(accountId, asOf);
  }

  /**
   * The employees in a sort order. Employees with equal values are ordered by id, in the direction of the last key.
   *
   * @param few whether few employees match, so that a list by id must not be read in its order until a page is full, unless an index
   *   has exactly these employees in that order. Default: false.
   * @param columns the columns of the reader. Default: those of a reader without restrictions.
   */
  inOrder(
    sort: readonly ColumnSort[],
    {
      few = false,
      columns = employeeColumns,
    }: { readonly few?: boolean; readonly columns?: SortColumns } = {},
  ): OrderedRows {
    const seeks =
      this.#conditions.length === 0 && this.#parts === null && this.#history === null && isById(sort);
    const order = employeeOrder(sort, columns);
    const [first, ...others] = this.#conditions;
    const inIdOrder =
      this.#parts === null && (first === undefined || (first.inIdOrder === true && others.length === 0));
    return {
      source:
        this.#parts === null
          ? this.#employees()
          : Prisma.sql`(SELECT DISTINCT ON (position) * FROM (${this.#candidates(this.#parts)}) found) employees`,
      condition: this.#condition(),
      order: few && !inIdOrder ? order.map(withoutIndex) : order,
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
    if (this.#conditions.length === 0 && this.#history === null) {
      return Prisma.sql`
        SELECT coalesce(sum(count), 0)::text AS count FROM employee_counts
        WHERE account_id = ${this.#accountId} AND level = 4`;
    }
    const { source, size } = this.#maintained() ?? this.#counted();
    return Prisma.sql`SELECT coalesce(${size}, 0)::text AS count FROM ${source} WHERE ${this.#condition()}`;
  }

  /**
   * Query for the groups of employees with the same values: the values as `key_0`, `key_1` …, and their `size`.
   *
   * @param aggregates further expressions for each group, as `aggregate_0`, `aggregate_1` … Default: none.
   */
  groups(columns: readonly GroupColumn[], aggregates: readonly Prisma.Sql[] = []): Prisma.Sql {
    const { source, size } = (aggregates.length === 0 ? this.#facets(columns) : null) ?? this.#counted();
    const keys = columns.map(({ name }, index) => Prisma.sql`${name} AS ${Prisma.raw(`key_${index}`)}`);
    const others = aggregates.map((sql, index) => Prisma.sql`${sql} AS ${Prisma.raw(`aggregate_${index}`)}`);
    const selected = [...keys, Prisma.sql`${size} AS size`, ...others];
    const rows = [source, ...columns.flatMap(({ join = [] }) => join)];
    return Prisma.sql`
      SELECT ${Prisma.join(selected)} FROM ${Prisma.join(rows, ' ')} WHERE ${this.#condition()}
      GROUP BY ${Prisma.raw(columns.map((_, index) => index + 1).join(', '))}`;
  }

  #employees(): Prisma.Sql {
    return this.#history ?? Prisma.sql`employees`;
  }

  #counted(): CountedRows {
    return { source: this.#employees(), size: Prisma.sql`count(*)` };
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
    if (this.#history !== null) return null;
    return this.#facets([]) ?? this.#facetsOfLocation();
  }

  /** The maintained counts by status and department; `null` if the query reads another column. */
  #facets(grouped: readonly GroupColumn[]): CountedRows | null {
    if (this.#history !== null) return null;
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

const sum = Prisma.sql`sum(count)::int8`;

const maintained = {
  employee_facets: { source: Prisma.sql`employee_facets`, size: sum },
  employee_location_facets: { source: Prisma.sql`employee_location_facets`, size: sum },
} as const;
