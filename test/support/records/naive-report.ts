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
}

export const columnKeys = ['id', ...employeeAttributes.map(({ name }) => name)];

export function asShown(employee: TestEmployee, id: string): NaiveEmployee {
  return { id, ...attributesOf(employee) };
}

type NaiveRow = [string, string | number | null][];

/** The expected result of a report, computed in memory: rows as pairs of column and value, in order. */
export function evaluate(employees: readonly NaiveEmployee[], definition: NaiveDefinition): NaiveRow[] {
  const { columns = columnKeys, filters = [], sort = [], group_by: groupBy = [] } = definition;
  const kept = employees.filter((employee) => filters.every((filter) => meets(employee, filter)));
  if (groupBy.length === 0) {
    const lastDescends = sort.at(-1)?.startsWith('-') ?? false;
    return inOrder(kept, [...sort, lastDescends ? '-id' : 'id']).map((employee) =>
      columns.map((key) => [key, employee[key] ?? null]),
    );
  }
  const groups = new Map<string, Record<string, string | number | null>>();
  for (const employee of kept) {
    const values = Object.fromEntries(groupBy.map((key) => [key, employee[key] ?? null]));
    const name = JSON.stringify(values);
    const group = groups.get(name) ?? { ...values, count: 0 };
    group.count = Number(group.count) + 1;
    groups.set(name, group);
  }
  return inOrder([...groups.values()], [...sort, ...groupBy]).map((group) =>
    [...groupBy, 'count'].map((key) => [key, group[key] ?? null]),
  );
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
