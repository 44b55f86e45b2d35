import { employeeAttributes } from '../../../src/features/employees/employee-attributes.js';
import { attributesOf } from './employee-attributes.js';
import type { TestEmployee } from './tenant.js';

/** An employee as results show it. */
export type NaiveEmployee = Readonly<Record<string, string | null>>;

export interface NaiveDefinition {
  readonly columns?: readonly string[];
  readonly filters?: readonly { field: string; operator: string; value?: string | readonly string[] }[];
  readonly sort?: readonly string[];
  readonly group_by?: readonly string[];
  readonly measures?: readonly { function: string; field: string }[];
}

export const columnKeys = ['id', ...employeeAttributes.map(({ name }) => name)];

export function asShown(employee: TestEmployee, id: string): NaiveEmployee {
  return { id, ...attributesOf(employee) };
}

type NaiveRow = [string, string | number | null][];

/**
 * The expected result of a report, computed in memory: rows as pairs of column and value, in order.
 *
 * @param today the date of today in UTC
 */
export function evaluate(
  employees: readonly NaiveEmployee[],
  definition: NaiveDefinition,
  today: string,
): NaiveRow[] {
  const { columns = columnKeys, filters = [], sort = [], group_by: groupBy = [], measures = [] } = definition;
  const kept = employees.filter((employee) => filters.every((filter) => meets(employee, filter)));
  if (groupBy.length === 0) {
    const lastDescends = sort.at(-1)?.startsWith('-') ?? false;
    return inOrder(kept, [...sort, lastDescends ? '-id' : 'id']).map((employee) =>
      columns.map((key) => [key, employee[key] ?? null]),
    );
  }
  const groups = new Map<string, { values: Record<string, string | number | null>; of: NaiveEmployee[] }>();
  for (const employee of kept) {
    for (const values of combinations(groupBy.map((key) => groupValues(employee, key, today)))) {
      const name = JSON.stringify(values);
      const found = groups.get(name) ?? {
        values: Object.fromEntries(groupBy.map((key, index) => [key, values[index] ?? null])),
        of: [],
      };
      found.of.push(employee);
      groups.set(name, found);
    }
  }
  const rows = [...groups.values()].map(({ values, of }) => ({
    ...values,
    count: of.length,
    ...Object.fromEntries(
      measures.map((measure) => [`${measure.function}_${measure.field}`, measured(of, measure, today)]),
    ),
  }));
  const keys = [...groupBy, 'count', ...measures.map((measure) => `${measure.function}_${measure.field}`)];
  return inOrder(rows, [...sort, ...groupBy]).map((group: Record<string, string | number | null>) =>
    keys.map((key) => [key, key === 'tenure_band' ? bandText(group[key]) : (group[key] ?? null)]),
  );
}

/** Every combination of a value of each list. */
function combinations(lists: readonly (readonly (string | number | null)[])[]): (string | number | null)[][] {
  return lists.reduce<(string | number | null)[][]>(
    (all, values) => all.flatMap((before) => values.map((value) => [...before, value])),
    [[]],
  );
}

const bands: readonly [minimum: number, text: string][] = [
  [0, 'under 1 year'],
  [1, '1–2 years'],
  [3, '3–5 years'],
  [6, '6–10 years'],
  [11, 'over 10 years'],
];

/** Bands are numbers until they are in order. */
function bandText(band: string | number | null | undefined): string | null {
  return typeof band === 'number' ? (bands[band]?.[1] ?? '') : null;
}

/** The days of an employment until today; `null` without one. */
function employment({ hire_date: from, termination_date: to }: NaiveEmployee, today: string) {
  const end = to !== null && to !== undefined && to < today ? to : today;
  return from && from <= end ? { from, end } : null;
}

/** Hundredths of the years of an employment. */
function tenureOf(employee: NaiveEmployee, today: string): number | null {
  const days = employment(employee, today);
  return days && Math.round((((Date.parse(days.end) - Date.parse(days.from)) / 86_400_000) * 100) / 365.25);
}

/** The groups of an employee. */
function groupValues(
  employee: NaiveEmployee,
  key: string,
  today: string,
): readonly (string | number | null)[] {
  const [, name = '', period] = /^(hire|termination)_(year|month)$/.exec(key) ?? [];
  if (period !== undefined) {
    const date = employee[`${name}_date`] ?? null;
    if (date === null) return [null];
    return [period === 'year' ? Number(date.slice(0, 4)) : date.slice(0, 7)];
  }
  if (key === 'tenure_band') {
    const days = employment(employee, today);
    if (days === null) return [null];
    const difference = Number(days.end.slice(0, 4)) - Number(days.from.slice(0, 4));
    const years = difference - (days.end.slice(5) < days.from.slice(5) ? 1 : 0);
    return [bands.findLastIndex(([minimum]) => years >= minimum)];
  }
  if (key === 'employed_month') {
    const { hire_date: from, termination_date: to } = employee;
    return countedDays(today)
      .filter((day) => from && from <= day && (to === null || to === undefined || to >= day))
      .map((day) => day.slice(0, 7));
  }
  return [employee[key] ?? null];
}

/** Today, and the last days of the 12 months before. */
function countedDays(today: string): string[] {
  const days = [today];
  for (let day = new Date(today); days.length < 13; ) {
    day = new Date(day.getTime() - day.getUTCDate() * 86_400_000);
    days.push(day.toISOString().slice(0, 10));
  }
  return days;
}

function measured(
  employees: readonly NaiveEmployee[],
  { function: name, field }: { function: string; field: string },
  today: string,
): string | number | null {
  if (field !== 'tenure') {
    const dates = employees.map((employee) => employee[field]).filter((date) => date !== null);
    return dates.toSorted().at(name === 'minimum' ? 0 : -1) ?? null;
  }
  const values = employees
    .map((employee) => tenureOf(employee, today))
    .filter((value) => value !== null)
    .toSorted((one, other) => one - other);
  const [smallest] = values;
  if (smallest === undefined) return null;
  const sum = values.reduce((one, other) => one + other, 0);
  const found = {
    sum,
    average: Math.floor((2 * sum + values.length) / (2 * values.length)),
    minimum: smallest,
    maximum: values.at(-1) ?? 0,
  }[name];
  return Number(found) / 100;
}

function meets(
  employee: NaiveEmployee,
  { field, operator, value = [] }: NonNullable<NaiveDefinition['filters']>[number],
): boolean {
  const normal = (text: string) => (field === 'updated_at' ? new Date(text).toISOString() : text);
  const own = employee[field] ?? null;
  if (operator.endsWith('empty')) return (own === null || own === '') === (operator === 'empty');
  if (own === null) return operator.startsWith('not_');
  const values = [value].flat().map(normal);
  const [first = ''] = values;
  switch (operator) {
    case 'eq':
    case 'in':
      return values.includes(own);
    case 'not_eq':
    case 'not_in':
      return !values.includes(own);
    case 'before':
      return own < first;
    case 'after':
      return own > first;
    case 'on_or_before':
      return own <= first;
    case 'on_or_after':
      return own >= first;
    case 'contains':
      return own.toLowerCase().includes(first.toLowerCase());
    default:
      return own.toLowerCase().startsWith(first.toLowerCase());
  }
}

function inOrder<Item extends Readonly<Record<string, string | number | null>>>(
  items: readonly Item[],
  sort: readonly string[],
): Item[] {
  return items.toSorted((a, b) => {
    for (const entry of sort) {
      const key = entry.replace(/^-/, '');
      const order = compare(a[key] ?? null, b[key] ?? null);
      if (order !== 0) return entry.startsWith('-') ? -order : order;
    }
    return 0;
  });
}

/** `null` comes after every value. */
function compare(a: string | number | null, b: string | number | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)));
}
