import type { AccountId } from '../../../platform/accounts/account-id.js';
import { sanitizeForTerminal } from '../../../platform/cli/print.js';
import { numberText } from '../../../platform/counted.js';
import type { EmployeeCheck } from '../../employees/index.js';
import type { ImportOutcome } from '../import-employees.js';
import type { MissingEmployees, MissingOutcome } from '../missing-employees.js';

interface MissingOptions {
  readonly maximumPercent: number;
  readonly dryRun: boolean;
}

/** Outcome of `--delete-missing`. */
export interface MissingReport {
  readonly deleted: number;
  readonly failed: boolean;
  readonly lines: readonly string[];
}

/** A check that also collects the employee numbers of valid records. */
export function collectNumbers(check: EmployeeCheck['check'], numbers: Set<string>): EmployeeCheck['check'] {
  return (value) => {
    const checked = check(value);
    if (checked.employee !== undefined) numbers.add(checked.employee.employeeNumber);
    return checked;
  };
}

/** Deletes the employees that a file does not contain, if every record of the file was imported. */
export async function deleteMissing(
  missingEmployees: MissingEmployees,
  { counts, ending }: ImportOutcome,
  {
    accountId,
    numbers,
    start,
    ...options
  }: MissingOptions & { accountId: AccountId; numbers: ReadonlySet<string>; start: bigint },
): Promise<MissingReport> {
  const nothing = (reason: string) => ({
    deleted: 0,
    failed: true,
    lines: [`No employee was deleted: ${reason}.`],
  });
  if (ending.kind !== 'complete') return nothing('the import is not complete');
  if (counts.rejected + counts.managersRejected > 0) return nothing('the file has rejected lines');
  if (numbers.size === 0) return nothing('the file has no records');
  const outcome = await missingEmployees.delete(accountId, { numbers, start, ...options });
  return outcome.kind === 'deleted'
    ? describeDeleted(outcome, options)
    : nothing(describeLimit(outcome, options));
}

function describeDeleted({ missing, named }: MissingOutcome, { dryRun }: MissingOptions): MissingReport {
  const were = dryRun ? 'would be' : missing === 1 ? 'was' : 'were';
  const employees = missing === 1 ? 'employee who is' : 'employees who are';
  const numbers = missing === 0 ? '' : ` (${listed(named, missing)})`;
  const line = `${numberText(missing)} ${employees} not in the file ${were} deleted${numbers}.`;
  return { deleted: missing, failed: false, lines: [line] };
}

function describeLimit(
  { missing, total, named }: MissingOutcome,
  { maximumPercent }: MissingOptions,
): string {
  const found = `${numberText(missing)} of ${numberText(total)} employees are not in the file (${listed(named, missing)})`;
  return `${found}, and at most ${maximumPercent} % may be deleted (--delete-limit)`;
}

function listed(named: readonly string[], count: number): string {
  const numbers = named.map((number) => sanitizeForTerminal(number, 60)).join(', ');
  return count > named.length ? `${numbers} …` : numbers;
}
