import { foldText } from '../../../platform/contract/outside-text.js';
import type { RecordMember } from '../../employees/index.js';

/** Longer names of columns are not compared with those of attributes. */
const maximumNameLength = 100;

/** Other names of attributes in files, without spaces and punctuation. The name and the label of an attribute need no entry. */
const synonyms: Readonly<Record<string, readonly string[]>> = {
  employee_number: [
    'employeeno',
    'employeeid',
    'number',
    'personnelnumber',
    'personnelno',
    'staffnumber',
    'staffid',
  ],
  first_name: ['givenname', 'forename'],
  last_name: ['surname', 'familyname'],
  email: ['emailaddress', 'mail', 'workemail', 'businessemail'],
  status: ['employmentstatus', 'state'],
  department: ['dept', 'departmentname', 'team'],
  job_title: ['title', 'position', 'jobposition'],
  location: ['office', 'site', 'worklocation'],
  hire_date: ['startdate', 'dateofhire', 'hired', 'hiredon'],
  termination_date: ['enddate', 'leavingdate', 'terminated', 'lastday'],
  manager_employee_number: ['manager', 'managernumber', 'manageremployeeno', 'managerid', 'supervisor'],
};

/**
 * Suggests an attribute for each column by its name. An exact name has precedence over a similar one, and an earlier column
 * over a later one.
 *
 * @returns names of attributes, each at most once; empty for a column that is ignored
 */
export function suggestAttributes(
  columns: readonly string[],
  attributes: readonly Pick<RecordMember, 'name' | 'label'>[],
): string[] {
  const known = new Map<string, string>();
  for (const { name, label } of attributes) {
    for (const other of [name, label, ...(synonyms[name] ?? [])]) known.set(simplify(other), name);
  }
  const suggested = columns.map(() => '');
  const taken = new Set<string>();
  const suggest = (find: (column: string) => string | undefined) => {
    for (const [index, column] of columns.entries()) {
      const name = find(column);
      if (name === undefined || suggested[index] !== '' || taken.has(name)) continue;
      suggested[index] = name;
      taken.add(name);
    }
  };
  suggest((column) => attributes.find(({ name }) => name === column.trim())?.name);
  suggest((column) => known.get(simplify(column)));
  return suggested;
}

function simplify(name: string): string {
  return foldText(name, maximumNameLength);
}
