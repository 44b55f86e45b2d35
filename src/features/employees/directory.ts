import type { AccountId } from '../../platform/accounts/account-id.js';
import { compareText } from '../../platform/contract/outside-text.js';
import type { ReadDatabase } from '../../platform/database/client.js';
import { Prisma } from '../../platform/database/generated/client.js';
import { type Anchor, type PageStart, pageQuery, splitPage } from '../../platform/database/page-query.js';
import { accountScope, withScope } from '../../platform/database/scope.js';
import { type Employee, employeeColumns, employeeSelection } from './employee.js';
import { filterConditions } from './employee-filter.js';
import { type EmployeeCount, EmployeeQuery, type EmployeeSort } from './employee-query.js';
import { maximumMatches, readSearch, type SearchPart } from './employee-search.js';
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

/**
 * The query for the employees of the directory.
 *
 * @param parts the parts of the search text; `null`: all employees
 */
export function directoryQuery(
  accountId: AccountId,
  { only, ...values }: DirectoryFilter,
  parts: readonly SearchPart[] | null,
): EmployeeQuery {
  const filter = Object.entries(values).map(([name, value]) => [name, value === undefined ? value : [value]]);
  const conditions = filterConditions(accountId, Object.fromEntries(filter));
  if (only !== undefined) {
    const columns = only.hasFacets ? [employeeColumns.status] : [employeeColumns.id];
    conditions.push({ columns, sql: only.condition(accountId) });
    if (!only.hasFacets) conditions.push({ columns: [], sql: isReadable(accountId) });
  }
  return new EmployeeQuery(accountId, conditions, { parts });
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
        this.#prisma.$queryRaw<EmployeeCount[]>(query.countFound({ limit: maximumMatches })),
        this.#prisma.$queryRaw<(Employee & { anchor: Anchor })[]>(
          pageQuery(query.inOrder(sort), employeeSelection, { size, start: { skip } }),
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
      const page = pageQuery(query.inOrder(sort), employeeSelection, { size: employeesPerBatch, start });
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
  ): Promise<EmployeeQuery> {
    return directoryQuery(accountId, filter, await readSearch(this.#prisma, text));
  }
}
