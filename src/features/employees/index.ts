import type { AccountId } from '../../platform/accounts/account-id.js';
import type { Core } from '../../platform/core.js';
import { CustomAttributeChanges } from './custom-attribute-changes.js';
import { readCustomAttributes } from './custom-attributes.js';
import { Directory } from './directory.js';
import { DirectoryExports } from './directory-exports.js';
import { EmployeeChanges } from './employee-changes.js';
import { createEmployeeCheck } from './employee-check.js';
import { EmployeeHandlers } from './employee-handlers.js';
import { EmployeeHistory } from './employee-history.js';
import { Employees } from './employees.js';
import { ManagerChoices } from './manager-choices.js';
import { Organisation } from './organisation.js';

export {
  type CustomAttribute,
  type CustomType,
  customTypeLabels,
  customTypes,
  readActiveAttributes,
  readCustomAttributes,
} from './custom-attributes.js';
export { choicesText, customColumn, hasChoice } from './custom-columns.js';
export {
  deletedAtOnce,
  findKnownIds,
  findReferenced,
  readReferringKeys,
  refersToEmployees,
  sizedReferences,
} from './custom-references.js';
export {
  changedKeys,
  comparedTextRule,
  customBytes,
  customValue,
  formatCustomValue,
  maximumStoredBytes,
  parseCustomValue,
  withCustomChanges,
} from './custom-values.js';
export type { Directory, DirectoryChoices } from './directory.js';
export type { EmployeeRecord } from './employee.js';
export {
  type ColumnOrder,
  type CustomChanges,
  type CustomValue,
  type CustomValues,
  columnOrder,
  columnsFor,
  type Employee,
  type EmployeeColumn,
  type EmployeeMember,
  employeeColumns,
  employeeSelection,
  employeeVersion,
  fullName,
  type GivenReferences,
} from './employee.js';
export {
  type AttributeName,
  type AttributeType,
  attributeLabel,
  employeeAttributes,
  formatStatus,
  type GivenValues,
  givenAttributes,
  knownStatuses,
} from './employee-attributes.js';
export { deleteEmployees, EmployeeChanges } from './employee-changes.js';
export {
  type CheckedRecord,
  createEmployeeCheck,
  type EmployeeCheck,
  type ManagerReference,
  type RecordMember,
  recordMembers,
  recordMembersWith,
  requiredMembers,
  withCustomMembers,
} from './employee-check.js';
export { compare, type EmployeeCondition, hasNoValue, isOneOf, textArray } from './employee-filter.js';
export { EmployeeQuery, type SortColumns } from './employee-query.js';
export {
  lookUpNumbers,
  managersAbove,
  type ResolvedReferences,
  readEmployeesByNumber,
  readEmployeesByPosition,
} from './employee-references.js';
export {
  currentEmployees,
  type EmployeeSelection,
  isReadable,
  joinersIn,
  leaversIn,
  maximumRead,
  sharedAddresses,
  sharedEmail,
  withoutManager,
} from './employee-selections.js';
export type { Employees } from './employees.js';
export { type AsOf, endOf, type HistoryDates, parseAsOf } from './employees-as-of.js';
export { insertEmployees, type NewEmployee } from './insert-employees.js';
export type { EmployeeChoice, ManagerChoices } from './manager-choices.js';
export { AttributeChoices, attributeLabels, attributesField } from './pages/attribute-choices.js';
export { selectionAddress } from './pages/directory-address.js';
export { employeeAddress } from './pages/employee-addresses.js';
export {
  archivedChoice,
  choosableAttributes,
  shownChoice,
  submittedChoice,
} from './readable-choice.js';
export { Spellings } from './spellings.js';
export {
  type EarlierValues,
  UnknownAccountError,
  type UpsertCounts,
  upsertEmployees,
  valuesToChange,
} from './upsert-employees.js';
export { EmployeeHistory };

export function createEmployees({ config, contract, database, reads, clock, auditedExports }: Core) {
  const employees = new Employees(reads);
  const directory = new Directory(reads);
  const retention = { clock, retentionDays: config.historyRetentionDays };
  const history = new EmployeeHistory(reads, retention);
  return {
    employees,
    managerChoices: new ManagerChoices(reads, { employees, directory }),
    employeeChanges: new EmployeeChanges(database),
    customAttributeChanges: new CustomAttributeChanges(database),
    employeeCheck: createEmployeeCheck(contract),
    /** All custom attributes, archived ones included. Of the primary: users look at what they have just changed. */
    readCustomAttributes: (accountId: AccountId) => readCustomAttributes(database.prisma, accountId),
    /** Of the primary: users look at what they have just changed. */
    history: new EmployeeHistory(database, retention),
    directory,
    organisation: new Organisation(reads),
    directoryExports: new DirectoryExports(auditedExports, directory),
    handlers: new EmployeeHandlers({ employees, history }, config.baseUrl),
  };
}
