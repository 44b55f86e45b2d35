import type { Employee } from '../services/employees/employee.js';
import type { EmployeeSort } from '../services/employees/employee-order.js';
import { home } from './return-to.js';

/** What of the directory is looked at. */
export interface DirectorySearch {
  readonly text: string;
  readonly order: string;
}

/** The orders that the directory can be read in; the first is the usual one. */
export const directoryOrders = [
  { value: 'name', words: 'Name, A to Z' },
  { value: '-name', words: 'Name, Z to A' },
  { value: 'number', words: 'Number, lowest first' },
  { value: '-number', words: 'Number, highest first' },
  { value: 'department', words: 'Department, A to Z' },
  { value: '-department', words: 'Department, Z to A' },
  { value: 'status', words: 'Status, A to Z' },
  { value: '-status', words: 'Status, Z to A' },
] as const;

/** Each of these is the beginning of an index, so that a page is read in order and not sorted. */
const keys: Readonly<Record<string, readonly (keyof Employee)[]>> = {
  name: ['lastName', 'firstName'],
  number: ['employeeNumber'],
  department: ['department'],
  status: ['status'],
};

/** The order that an address names; the usual one when it names none. */
export function directoryOrder(value: string): string {
  return directoryOrders.some((order) => order.value === value) ? value : directoryOrders[0].value;
}

/** What the list is sorted by in an order. */
export function directorySort(order: string): EmployeeSort[] {
  const descending = order.startsWith('-');
  return (keys[order.replace('-', '')] ?? []).map((key) => ({ key, descending }));
}

/** Address of a page of the directory. */
export function directoryAddress({ text, order, page = 1 }: DirectorySearch & { page?: number }): string {
  const query = new URLSearchParams();
  if (text !== '') query.set('q', text);
  if (order !== directoryOrders[0].value) query.set('sort', order);
  if (page > 1) query.set('page', String(page));
  return query.size === 0 ? home : `${home}?${query}`;
}
