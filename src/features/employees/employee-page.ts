import type { EmployeeFilter } from './employee-filter.js';
import type { EmployeeAnchor, EmployeeSort } from './employee-order.js';

/** A page of a list of employees. */
export interface EmployeeListRequest {
  readonly filter: EmployeeFilter;
  /** Empty: by id. */
  readonly sort: readonly EmployeeSort[];
  readonly size: number;
  /** Start of the page: after an employee of an earlier page, or after a number of employees. */
  readonly from: { readonly anchor: EmployeeAnchor } | { readonly skip: number };
}

/** A page of employees as resource objects. */
export interface EmployeePage {
  /** Resource objects as JSON, separated by commas. */
  readonly resources: string;
  /** Number of resource objects. */
  readonly count: number;
  /** Total number of employees on all pages. */
  readonly recordCount: number;
  /** Start of the next page; `null` on the last page. */
  readonly nextAnchor: EmployeeAnchor | null;
}

/** Employees must have all values that are present. */
export interface DirectoryFilter {
  readonly department?: string | undefined;
  readonly status?: string | undefined;
  /** `null`: employees without a location. */
  readonly location?: string | null | undefined;
}

/** A page of the directory. */
export interface DirectoryRequest {
  /** Starts of words of a name, of an e-mail address or of an employee number; empty: all employees. */
  readonly text: string;
  readonly filter: DirectoryFilter;
  readonly sort: readonly EmployeeSort[];
  readonly size: number;
  /** Number of employees on the previous pages. */
  readonly skip: number;
}
