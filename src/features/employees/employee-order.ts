import { type Anchor, isAnchor, type OrderTerm } from '../../platform/database/keyset.js';
import { type Employee, employeeColumns } from './employee.js';

/** One key of a sort order. */
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
