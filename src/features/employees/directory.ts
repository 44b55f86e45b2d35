import type { AccountId } from '../../platform/accounts/account-id.js';
import { compareText } from '../../platform/contract/outside-text.js';
import type { ReadDatabase } from '../../platform/database/client.js';
import { Prisma } from '../../platform/database/generated/client.js';
import { type Anchor, type PageStart, pageQuery, splitPage } from '../../platform/database/page-query.js';
import { accountScope, withScope } from '../../platform/database/scope.js';
import { type Employee, employeeColumns, employeeSelection } from './employee.js';
import { type EmployeeSort, employeeOrder } from './employee-query.js';
import {
  candidateRanges,
  foldParts,
  matchesParts,
  maximumMatches,
  type SearchPart,
  searchParts,
} from './employee-search.js';
import { type EmployeeSelection, isReadable } from './employee-selections.js';

/** Employees must have all values that are present. */
export interface DirectoryFilter {
  readonly department?: string | undefined;
  readonly status?: string | undefined;
  /** `null`: employees without a location. */
  readonly location?: string | null | undefined;
  /** A selection to which Home links. */
  readonly only?: EmployeeSelection | undefined;
}

/** The filters whose values users choose. */
type ChoiceName = Exclude<keyof DirectoryFilter, 'only'>;

/** A page of the directory. */
interface DirectoryRequest {
  /** Starts of words of a name, of an e-mail address or of an employee number; empty: all employees. */
  readonly text: string;
  readonly filter: DirectoryFilter;
  readonly sort: readonly EmployeeSort[];
  readonly size: number;
  /** Number of employees on the previous pages. */
  readonly skip: number;
}

/** Number of employees, and whether there may be more. */
interface BoundedCount {
  readonly count: string;
  readonly more: boolean;
}

const { department, status, location } = employeeColumns;

/** Builds the queries of the directory. */
export class DirectoryQuery {
  readonly #accountId: AccountId;
  readonly #filter: DirectoryFilter;
  readonly #parts: readonly SearchPart[] | null;

  /** @param parts the parts of the search text; `null`: all employees */
  constructor(accountId: AccountId, filter: DirectoryFilter, parts: readonly SearchPart[] | null) {
    this.#accountId = accountId;
    this.#filter = filter;
    this.#parts = parts;
  }

  /** Query for the employees of a page. */
  page({
    sort,
    size,
    start,
  }: Pick<DirectoryRequest, 'sort' | 'size'> & { readonly start: PageStart }): Prisma.Sql {
    return pageQuery(
      {
        source:
          this.#parts === null
            ? Prisma.sql`employees`
            : Prisma.sql`(SELECT DISTINCT ON (position) * FROM (${this.#candidates(this.#parts)}) found) employees`,
        condition: this.#condition(),
        order: employeeOrder(sort),
      },
      employeeSelection,
      { size, start },
    );
  }

  /** Query for the {@link BoundedCount}. */
  count(): Prisma.Sql {
    if (this.#parts !== null) {
      return Prisma.sql`
        WITH candidates AS MATERIALIZED (${this.#candidates(this.#parts)})
        SELECT (SELECT count(DISTINCT position) FROM candidates WHERE ${this.#condition()})::text AS count,
          EXISTS (SELECT FROM candidates GROUP BY search_range HAVING count(*) > ${maximumMatches}) AS more`;
    }
    const filter = this.#filter;
    const byGroup = [filter.department, filter.status, filter.only].some((value) => value !== undefined);
    if (filter.location === undefined && filter.only?.hasFacets !== false) {
      const sum = Prisma.sql`SELECT coalesce(sum(count), 0)::text AS count, false AS more`;
      if (byGroup) return Prisma.sql`${sum} FROM employee_facets WHERE ${this.#condition()}`;
      return Prisma.sql`${sum} FROM employee_counts WHERE account_id = ${this.#accountId} AND level = 4`;
    }
    if (!byGroup) {
      return Prisma.sql`
        SELECT coalesce(sum(count), 0)::text AS count, false AS more FROM employee_location_facets
        WHERE account_id = ${this.#accountId} AND location = ${filter.location ?? ''}`;
    }
    const limit = Prisma.raw(String(maximumMatches + 1));
    return Prisma.sql`
      SELECT count(*)::text AS count, count(*) > ${maximumMatches} AS more
      FROM (SELECT FROM employees WHERE ${this.#condition()} LIMIT ${limit}) found`;
  }

  #candidates(parts: readonly SearchPart[]): Prisma.Sql {
    return Prisma.join(candidateRanges(this.#accountId, parts), ' UNION ALL ');
  }

  #condition(): Prisma.Sql {
    const { department: inDepartment, status: withStatus, location: at, only } = this.#filter;
    const conditions = [Prisma.sql`account_id = ${this.#accountId}`];
    if (inDepartment !== undefined) conditions.push(Prisma.sql`${department.name} = ${inDepartment}`);
    if (withStatus !== undefined) conditions.push(Prisma.sql`${status.name} = ${withStatus}`);
    if (at === null) conditions.push(Prisma.sql`(${location.name} IS NULL OR ${location.name} = '')`);
    else if (at !== undefined) conditions.push(Prisma.sql`${location.name} = ${at}`);
    if (only !== undefined) conditions.push(only.condition(this.#accountId));
    if (only?.hasFacets === false) conditions.push(isReadable(this.#accountId));
    if (this.#parts !== null) conditions.push(matchesParts(this.#parts));
    return Prisma.join(conditions, ' AND ');
  }
}

/** A value of a filter, and how many employees have it. */
export interface DirectoryChoice {
  /** `null`: employees without the value. */
  readonly value: string | null;
  /** `null` if it is unknown with the other filters. */
  readonly count: number | null;
}

/** The values of each filter, as people sort them, at most {@link maximumChoices}. */
export type DirectoryChoices = Readonly<Record<ChoiceName, readonly DirectoryChoice[]>>;

interface ChoiceRow {
  readonly field: ChoiceName;
  readonly value: string;
  readonly count: number;
}

const maximumChoices = 200;

/** Employees that an export reads with one statement. */
const employeesPerBatch = 500;

/** Limits the size of the result for an account with a department or a location for each employee. */
const maximumFacets = 5000;

/** Builds the query for the values of all filters. The counts of departments and of statuses take each other into account. */
function choicesQuery(accountId: AccountId, { department, status }: DirectoryFilter): Prisma.Sql {
  const facets = Prisma.sql`(
    SELECT status, department, count FROM employee_facets WHERE account_id = ${accountId}
    ORDER BY status, department LIMIT ${Prisma.raw(String(maximumFacets))}) facets`;
  const grouped = (
    field: 'department' | 'status',
    other: Prisma.Sql,
    value: string | undefined,
  ) => Prisma.sql`
    (SELECT ${field}::text AS field, ${Prisma.raw(field)} AS value, sum(count)::int AS count FROM ${facets}
     ${value === undefined ? Prisma.empty : Prisma.sql`WHERE ${other} = ${value}`}
     GROUP BY 2 ORDER BY 2 LIMIT ${Prisma.raw(String(maximumChoices))})`;
  return Prisma.sql`
    ${grouped('department', Prisma.sql`status`, status)}
    UNION ALL ${grouped('status', Prisma.sql`department`, department)}
    UNION ALL
    (SELECT 'location', location, count FROM employee_location_facets WHERE account_id = ${accountId}
     ORDER BY location LIMIT ${Prisma.raw(String(maximumChoices))})`;
}

/** Groups the rows of the query, and removes counts that other filters or a search text would change. */
function groupChoices(
  rows: readonly ChoiceRow[],
  { department, status, location, only }: DirectoryFilter,
  hasText: boolean,
): DirectoryChoices {
  const of = (name: ChoiceName, counted: boolean): DirectoryChoice[] =>
    rows
      .filter(({ field }) => field === name)
      .toSorted((one, other) => compareText(one.value, other.value))
      .map(({ value, count }) => ({
        value: name === 'location' && value === '' ? null : value,
        count: counted && !hasText && only === undefined ? count : null,
      }));
  return {
    department: of('department', location === undefined),
    status: of('status', location === undefined),
    location: of('location', department === undefined && status === undefined),
  };
}

/** A page of the directory, and the filters that can be selected. */
interface DirectoryPage {
  readonly employees: readonly Employee[];
  readonly count: number;
  /** Whether more employees than `count` may match. */
  readonly more: boolean;
  readonly choices: DirectoryChoices;
}

/** The directory of an account: its employees by search text and filters. */
export class Directory {
  readonly #prisma: ReadDatabase['prisma'];

  constructor({ prisma }: Pick<ReadDatabase, 'prisma'>) {
    this.#prisma = prisma;
  }

  /**
   * Reads a page of employees. A search reads at most {@link maximumMatches} employees for each way to find them, in the order
   * of their names; `more` is true when there may be others.
   */
  read(accountId: AccountId, { text, filter, sort, size, skip }: DirectoryRequest): Promise<DirectoryPage> {
    return withScope(accountScope(accountId), async () => {
      const query = await this.#query(accountId, { text, filter });
      const [[total], rows, choices] = await Promise.all([
        this.#prisma.$queryRaw<BoundedCount[]>(query.count()),
        this.#prisma.$queryRaw<(Employee & { anchor: Anchor })[]>(
          query.page({ sort, size, start: { skip } }),
        ),
        this.#prisma.$queryRaw<ChoiceRow[]>(choicesQuery(accountId, filter)),
      ]);
      const count = Number(total?.count ?? 0);
      const more = total?.more ?? false;
      return {
        employees: splitPage(rows, size).rows,
        count: more ? Math.min(count, maximumMatches) : count,
        more,
        choices: groupChoices(choices, filter, text !== ''),
      };
    });
  }

  /**
   * Yields all employees in batches, for an export. A search yields at most {@link maximumMatches} employees for each way to find
   * them, as {@link read}.
   */
  async *readAll(
    accountId: AccountId,
    { text, filter, sort }: Pick<DirectoryRequest, 'text' | 'filter' | 'sort'>,
  ): AsyncGenerator<readonly Employee[], void, undefined> {
    // In its own scope, because a stream is read outside the scope of the request.
    const scope = accountScope(accountId);
    const query = await withScope(scope, () => this.#query(accountId, { text, filter }));
    for (let start: PageStart = { skip: 0 }; ; ) {
      const page = query.page({ sort, size: employeesPerBatch, start });
      const found = await withScope(scope, () =>
        this.#prisma.$queryRaw<(Employee & { anchor: Anchor })[]>(page),
      );
      const { rows, nextAnchor } = splitPage(found, employeesPerBatch);
      yield rows;
      if (nextAnchor === null) return;
      start = { anchor: nextAnchor };
    }
  }

  /** The values of each filter that employees of the account have. */
  async choices(accountId: AccountId): Promise<DirectoryChoices> {
    const rows = await withScope(accountScope(accountId), () =>
      this.#prisma.$queryRaw<ChoiceRow[]>(choicesQuery(accountId, {})),
    );
    return groupChoices(rows, {}, false);
  }

  async #query(
    accountId: AccountId,
    { text, filter }: Pick<DirectoryRequest, 'text' | 'filter'>,
  ): Promise<DirectoryQuery> {
    const parts = searchParts(text);
    return new DirectoryQuery(accountId, filter, parts.length === 0 ? null : await this.#fold(parts));
  }

  /** The database folds the parts of a text, as it folds names. */
  async #fold(parts: readonly string[]): Promise<SearchPart[]> {
    const rows = await this.#prisma.$queryRaw<{ folded: string }[]>(foldParts(parts));
    return parts.map((part, index) => ({
      text: part,
      words: (rows[index]?.folded ?? '').split(' ').filter((word) => word !== ''),
    }));
  }
}
