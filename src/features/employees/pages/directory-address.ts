import type { Fields } from '../../../platform/pages/fields.js';
import { directoryPath } from '../../../platform/pages/paths.js';
import type { DirectoryFilter } from '../directory.js';
import type { EmployeeMember } from '../employee.js';
import type { EmployeeSort } from '../employee-query.js';
import { type EmployeeSelection, selectionOf } from '../employee-selections.js';

/** Search text, filters and order of the directory. */
export interface DirectorySearch {
  readonly text: string;
  readonly filter: DirectoryFilter;
  readonly order: string;
}

/** Orders of the directory; the first is the default. */
export const directoryOrders = [
  { value: 'name', label: 'Name, A to Z' },
  { value: '-name', label: 'Name, Z to A' },
  { value: 'number', label: 'Number, lowest first' },
  { value: '-number', label: 'Number, highest first' },
  { value: 'department', label: 'Department, A to Z' },
  { value: '-department', label: 'Department, Z to A' },
  { value: 'status', label: 'Status, A to Z' },
  { value: '-status', label: 'Status, Z to A' },
] as const;

/** Each list is a prefix of an index, so that PostgreSQL reads a page in order and does not sort. */
const keys: Readonly<Record<string, readonly EmployeeMember[]>> = {
  name: ['lastName', 'firstName'],
  number: ['employeeNumber'],
  department: ['department'],
  status: ['status'],
};

/** The order with this value, or the default. */
export function directoryOrder(value: string): string {
  return directoryOrders.some((order) => order.value === value) ? value : directoryOrders[0].value;
}

/** Sort keys of an order. */
export function directorySort(order: string): EmployeeSort[] {
  const descending = order.startsWith('-');
  return (keys[order.replace('-', '')] ?? []).map((key) => ({ key, descending }));
}

/** Names of the filters in a query, in the order of the page. */
export const directoryFilters = ['department', 'status', 'location'] as const;

export function directoryFilter(query: Fields): DirectoryFilter {
  const only = selectionOf(query.text('only'));
  const values = Object.fromEntries(
    directoryFilters.flatMap((name) => {
      const text = query.text(name);
      return text === '' ? [] : [[name, filterValue(text)]];
    }),
  );
  return { ...values, ...(only && { only }) };
}

/** A value of a filter as text: `-` for none, and another `-` before a value that starts with it. */
export function filterText(value: string | null): string {
  if (value === null) return '-';
  return value.startsWith('-') ? `-${value}` : value;
}

function filterValue(text: string): string | null {
  if (text === '-') return null;
  return text.startsWith('--') ? text.slice(1) : text;
}

/** Path and query of the first page with the employees of a selection. */
export function selectionAddress(only: EmployeeSelection): string {
  return directoryAddress({ text: '', filter: { only }, order: directoryOrders[0].value });
}

/** Path of the export of the directory. Its query is that of the page. */
export const directoryExportPath = `${directoryPath}/export.csv`;

/** Path and query of a page of the directory, or of its export. `selected`: whether all people of the page are selected. */
export function directoryAddress(
  {
    text,
    filter,
    order,
    page = 1,
    selected = false,
  }: DirectorySearch & { page?: number; selected?: boolean },
  path: string = directoryPath,
): string {
  const query = new URLSearchParams();
  if (text !== '') query.set('q', text);
  for (const name of directoryFilters) {
    const value = filter[name];
    if (value !== undefined) query.set(name, filterText(value));
  }
  if (filter.only !== undefined) query.set('only', filter.only.value);
  if (order !== directoryOrders[0].value) query.set('sort', order);
  if (page > 1) query.set('page', String(page));
  if (selected) query.set('select', 'page');
  return query.size === 0 ? path : `${path}?${query}`;
}
