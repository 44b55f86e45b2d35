import { defineLookup } from '../../platform/database/hot/define-lookup.js';
import { employeePosition } from '../../platform/database/ids.js';
import { accountScope } from '../../platform/database/scope.js';
import { employeeResource } from './employee-resource.js';

export interface EmployeeKey {
  readonly accountId: string;
  readonly id: string;
}

/**
 * The resource object of an employee as JSON.
 *
 * Benchmarks `get` (1.2 times the limit) and `get-1`; compared with the models in test/employees/hot-statements.test.ts.
 */
export const employeeById = defineLookup<EmployeeKey, 'account_id' | 'position' | 'id', string>({
  name: 'employee_by_id',
  columns: { account_id: 'text', position: 'bigint', id: 'text' },
  request: ({ accountId, id }) => ({ account_id: accountId, position: employeePosition(id), id }),
  sql: `
    SELECT ${employeeResource} FROM employees
    WHERE employees.account_id = request.account_id AND employees.position = request.position
      AND employees.id = request.id`,
  toValue: ([resource]) => resource ?? '',
  scope: (keys) => accountScope(...keys.map(({ accountId }) => accountId)),
  maximum: 32,
  atOnce: 2,
  distributed: {
    statement: {
      name: 'employee_by_id_of_account',
      text: `SELECT ${employeeResource} FROM employees WHERE account_id = $1 AND position = $2 AND id = $3`,
    },
    values: ({ accountId, id }) => [accountId, employeePosition(id), id],
    toValue: ([row]) => row?.[0] ?? null,
  },
});
