import type { TestEmployee } from './tenant.js';

/** The attributes of an employee as the API shows them. */
export function attributesOf(employee: TestEmployee) {
  return {
    employee_number: employee.employeeNumber,
    first_name: employee.firstName,
    last_name: employee.lastName,
    email: employee.email,
    status: employee.status,
    department: employee.department,
    updated_at: employee.updatedAt.toISOString(),
  };
}
