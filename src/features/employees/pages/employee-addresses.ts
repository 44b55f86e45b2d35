import { directoryPath } from '../../../platform/pages/paths.js';

const employeesPath = `${directoryPath}/employees`;

export const newEmployeePath = `${employeesPath}/new`;

/** Path of the org chart, or of its part around an employee. */
export function orgChartAddress(id?: string): string {
  return [`${directoryPath}/org_chart`, ...(id === undefined ? [] : [id])].join('/');
}

/** Path of the form that changes several employees. */
export const bulkPath = `${employeesPath}/change`;

/** Path of the people who match a text. */
export const suggestionsPath = `${employeesPath}/suggestions`;

/** Path of the page of an employee, or of a page below it. */
export function employeeAddress(id: string, ...below: readonly string[]): string {
  return [employeesPath, id, ...below].join('/');
}
