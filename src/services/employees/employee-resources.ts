import type { Database } from '../../database/client.js';
import { employeeById } from '../../database/hot/employee-by-id.js';
import { type EmployeePage, employeePage } from '../../database/hot/employee-page.js';
import type { AccountId } from '../account-id.js';

/** Which part of an account's list, which is in the order of positions. */
export interface SliceRequest {
  readonly accountId: AccountId;
  readonly size: number;
  /** Where to begin: after the record at this position, or after so many records. */
  readonly from: { readonly position: number } | { readonly skip: number };
}

/** A part of a list. */
export type Slice = EmployeePage;

const nothing: Slice = { resources: '', count: 0, recordCount: 0, next: null };

/** The two hot reads of employees. They read what `listEmployees` does. */
export class EmployeeResources {
  readonly #find;
  readonly #slice;

  constructor(database: Database) {
    this.#find = employeeById(database);
    this.#slice = employeePage(database);
  }

  /** JSON of the account's employee with this id; `null` when there is none, or it is another account's. */
  find(accountId: AccountId, id: string): Promise<string | null> {
    return this.#find({ accountId, id });
  }

  /** Part of the account's whole list by id. */
  async slice(request: SliceRequest): Promise<Slice> {
    return (await this.#slice(request)) ?? nothing;
  }
}
