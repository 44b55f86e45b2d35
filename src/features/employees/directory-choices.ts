import type { AccountId } from '../../platform/accounts/account-id.js';
import { Prisma } from '../../platform/database/generated/client.js';
import type { DirectoryFilter } from './employee-page.js';

/** A value of a filter, and how many employees have it. */
export interface DirectoryChoice {
  /** `null`: employees without the value. */
  readonly value: string | null;
  /** `null` if it is unknown with the other filters. */
  readonly count: number | null;
}

/** The values of each filter, in their order, at most {@link maximumChoices}. */
export type DirectoryChoices = Readonly<Record<keyof DirectoryFilter, readonly DirectoryChoice[]>>;

export interface ChoiceRow {
  readonly field: keyof DirectoryFilter;
  readonly value: string;
  readonly count: number;
}

const maximumChoices = 200;

/** Limits the size of the result for an account with a department or a location for each employee. */
const maximumFacets = 5000;

/** Builds the query for the values of all filters. The counts of departments and of statuses take each other into account. */
export function choicesQuery(accountId: AccountId, { department, status }: DirectoryFilter): Prisma.Sql {
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
export function groupChoices(
  rows: readonly ChoiceRow[],
  { department, status, location }: DirectoryFilter,
  hasText: boolean,
): DirectoryChoices {
  const of = (name: keyof DirectoryFilter, counted: boolean): DirectoryChoice[] =>
    rows
      .filter(({ field }) => field === name)
      .map(({ value, count }) => ({
        value: name === 'location' && value === '' ? null : value,
        count: counted && !hasText ? count : null,
      }));
  return {
    department: of('department', location === undefined),
    status: of('status', location === undefined),
    location: of('location', department === undefined && status === undefined),
  };
}
