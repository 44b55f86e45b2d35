import type { Command } from 'commander';
import { accountOption, findAccount, jsonOption } from '../../../platform/cli/arguments.js';
import { CliError } from '../../../platform/cli/cli-error.js';
import { type CommandProcess, withContext } from '../../../platform/cli/context.js';
import { print, sanitizeForTerminal } from '../../../platform/cli/print.js';
import { numberText } from '../../../platform/counted.js';
import { accountScope, withScope } from '../../../platform/database/scope.js';
import { EmployeeChanges, fullName, type ResolvedReferences } from '../../employees/index.js';

interface DeleteOptions {
  readonly account: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** `employees delete` */
export function addDeleteCommand(employees: Command, commandProcess: CommandProcess): void {
  employees
    .command('delete')
    .description('delete employees')
    .argument('<employee...>', 'employee number or id')
    .addOption(accountOption().makeOptionMandatory())
    .option('--dry-run', 'find the employees and print them without deleting anything')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Deletes all of the employees, or none if one of them is unknown. The employees they managed have no manager then.
The audit log has an event for each of them. Users are not changed.

Examples:
  npm run cli -- employees delete E1001 E1002 --account Initech --dry-run
  npm run cli -- employees delete E1001 --account Initech`,
    )
    .action((references: string[], options: DeleteOptions) =>
      withContext(commandProcess, async ({ database, accounts, clock }) => {
        const { id: accountId } = await findAccount(accounts, options.account);
        const { dryRun = false } = options;
        const outcome = await withScope(accountScope(accountId), () =>
          new EmployeeChanges(database).deleteAll({ accountId, at: clock() }, references, { dryRun }),
        );
        report(commandProcess, outcome, options);
      }),
    );
}

/** @throws {CliError} when nothing was deleted */
function report(
  commandProcess: CommandProcess,
  outcome: ResolvedReferences,
  { dryRun = false, json = false }: DeleteOptions,
): void {
  if (outcome.kind === 'rejected') throw new CliError(`${rejection(outcome)}; nothing was deleted`);
  const { employees } = outcome;
  if (json) {
    const deleted = employees.map(({ id, employeeNumber: employee_number }) => ({ id, employee_number }));
    print(commandProcess, JSON.stringify({ employees: deleted, dry_run: dryRun }));
    return;
  }
  for (const employee of employees)
    print(commandProcess, sanitizeForTerminal(`${employee.employeeNumber} ${fullName(employee)}`));
  const count = `${numberText(employees.length)} ${employees.length === 1 ? 'employee' : 'employees'}`;
  print(commandProcess, dryRun ? `Would delete ${count}; nothing was deleted.` : `Deleted ${count}.`);
}

function rejection({ unknown, ambiguous }: ResolvedReferences & { kind: 'rejected' }): string {
  return [
    ...(unknown.length > 0 ? [`Unknown employees: ${sanitizeForTerminal(unknown.join(', '))}`] : []),
    ...(ambiguous.length > 0
      ? [`Number of one employee and id of another: ${sanitizeForTerminal(ambiguous.join(', '))}`]
      : []),
  ].join('; ');
}
