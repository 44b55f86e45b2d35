import { utcDate } from '../../platform/clock.js';
import { Prisma } from '../../platform/database/client.js';
import type { AttributeName } from '../employees/index.js';
import type { ColumnDescription } from './column-description.js';

/** Keys of groups that are computed from dates, in the order of the contract. */
const computedKeys = [
  ...(['hire_year', 'hire_month', 'termination_year', 'termination_month'] as const),
  ...(['tenure_band', 'employed_month'] as const),
] as const;

export type ComputedKey = (typeof computedKeys)[number];

/** The expression by which employees are grouped, and their groups are ordered. */
interface ComputedColumn {
  readonly name: Prisma.Sql;
  readonly type: 'int8' | 'text';
  readonly nullable: boolean;
  /** No maintained count has it. */
  readonly facets: null;
  /** A join that makes a row of an employee for each of its groups. Absent: an employee is in one group. */
  readonly join?: Prisma.Sql;
}

interface ComputedGroup extends ColumnDescription {
  readonly key: ComputedKey;
  /** The attributes of the contract that a reader must have. */
  readonly attributes: readonly AttributeName[];
  /** What the values are, if they follow each other in time: charts have them on the horizontal axis. */
  readonly period?: 'year' | 'month';
  /** The date that is in the period. Absent: filters cannot select the employees of a group. */
  readonly dateOf?: 'hire_date' | 'termination_date';
  /** @param today the date of today in UTC */
  readonly column: (today: string) => ComputedColumn;
  /** The expression for a value as text. Absent: as other values of its type. */
  readonly shown?: (value: Prisma.Sql) => Prisma.Sql;
}

const dates = { hire_date: 'Hire', termination_date: 'Termination' } as const;

const year = (date: keyof typeof dates): Omit<ComputedGroup, 'key'> => ({
  label: `${dates[date]} year`,
  type: 'integer',
  attributes: [date],
  period: 'year',
  dateOf: date,
  column: () => ({
    name: Prisma.sql`extract(year FROM ${Prisma.raw(date)})::int8`,
    type: 'int8',
    nullable: true,
    facets: null,
  }),
});

const month = (date: keyof typeof dates): Omit<ComputedGroup, 'key'> => ({
  label: `${dates[date]} month`,
  type: 'string',
  attributes: [date],
  period: 'month',
  dateOf: date,
  column: () => ({ name: monthOf(Prisma.raw(date)), type: 'text', nullable: true, facets: null }),
});

function monthOf(date: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(to_char(${date}, 'YYYY-MM') COLLATE "C")`;
}

/** The last day that counts for the length of an employment. */
function lastDay(today: string): Prisma.Sql {
  return Prisma.sql`least(termination_date, ${today}::text::date)`;
}

/** Years from the hire date to the last day. NULL without a hire date, and for one after that day. */
function tenureYears(today: string): Prisma.Sql {
  const end = lastDay(today);
  return Prisma.sql`CASE WHEN hire_date <= ${end} THEN round((${end} - hire_date) / 365.25, 2) END`;
}

const bands = ['under 1 year', '1–2 years', '3–5 years', '6–10 years', 'over 10 years'];

/** Position of the band with the full years from the hire date to the last day. */
function tenureBand(today: string): Prisma.Sql {
  const end = lastDay(today);
  return Prisma.sql`
    CASE WHEN hire_date <= ${end} THEN width_bucket(
      extract(year FROM ${end})::int - extract(year FROM hire_date)::int
        - (to_char(${end}, 'MMDD') < to_char(hire_date, 'MMDD'))::int,
      ARRAY[1, 3, 6, 11])::int8 END`;
}

/** Complete months in which employees are counted, besides the present one. */
const completeMonths = 12;

/** The days at which employees are counted: the last ones of the complete months, then today. */
export function countedDays(today: string): string[] {
  const [year = 0, month = 1] = today.split('-').map(Number);
  const ends = Array.from({ length: completeMonths }, (_, index) =>
    // The day before the first one of the next month.
    utcDate(new Date(Date.UTC(year, month - completeMonths + index, 0))),
  );
  return [...ends, today];
}

/** Every key of groups that is computed from dates: whatever depends on one of them is read here. */
const computedGroups: Readonly<Record<ComputedKey, Omit<ComputedGroup, 'key'>>> = {
  hire_year: year('hire_date'),
  hire_month: month('hire_date'),
  termination_year: year('termination_date'),
  termination_month: month('termination_date'),
  tenure_band: {
    label: 'Tenure band',
    type: 'string',
    attributes: ['hire_date', 'termination_date'],
    column: (today) => ({ name: tenureBand(today), type: 'int8', nullable: true, facets: null }),
    shown: (value) => Prisma.sql`(${bands}::text[])[${value}::int + 1]`,
  },
  employed_month: {
    label: 'Month of employment',
    type: 'string',
    attributes: ['hire_date', 'termination_date'],
    period: 'month',
    column: (today) => ({
      name: monthOf(Prisma.sql`counted_day`),
      type: 'text',
      nullable: false,
      facets: null,
      join: Prisma.sql`
        JOIN unnest(${countedDays(today)}::text[]::date[]) AS counted_days (counted_day)
          ON hire_date <= counted_day AND (termination_date IS NULL OR termination_date >= counted_day)`,
    }),
  },
};

/** The description of a computed key; `undefined` for another key. */
export function computedGroup(key: string): ComputedGroup | undefined {
  const known = computedKeys.find((name) => name === key);
  return known && { key: known, ...computedGroups[known] };
}

export const computedGroupKeys: readonly ComputedKey[] = computedKeys;

/** The length of an employment, a number that measures have as a field. */
export const tenure = {
  key: 'tenure',
  label: 'Tenure (years)',
  type: 'number',
  attributes: ['hire_date', 'termination_date'],
  value: tenureYears,
} as const satisfies ColumnDescription & Pick<ComputedGroup, 'attributes'> & { value: typeof tenureYears };

/** The attributes that a key of a report shows or compares: itself, unless it is computed from others. */
export function attributesOf(key: string): readonly string[] {
  return key === tenure.key ? tenure.attributes : (computedGroup(key)?.attributes ?? [key]);
}

/** Whether an employee can be in several groups of these keys. */
export function hasSeveralGroups(keys: readonly string[]): boolean {
  return keys.includes('employed_month');
}
