import { type Command, Option } from 'commander';
import { accountOption, findAccount, integerBetween, jsonOption } from '../../../platform/cli/arguments.js';
import { CliError, type ExitCode, exitCodes } from '../../../platform/cli/cli-error.js';
import { type CommandContext, type CommandProcess, withContext } from '../../../platform/cli/context.js';
import { interruptible } from '../../../platform/cli/interruption.js';
import { print, sanitizeForTerminal } from '../../../platform/cli/print.js';
import { loadContract } from '../../../platform/contract/contract.js';
import { numberText } from '../../../platform/counted.js';
import { describeError, isStatementRejected } from '../../../platform/database/database-errors.js';
import { accountScope, withScope } from '../../../platform/database/scope.js';
import {
  createEmployeeCheck,
  readActiveAttributes,
  recordMembers,
  requiredMembers,
} from '../../employees/index.js';
import type { Delimiter } from '../csv.js';
import { readCsvEntries } from '../csv-entries.js';
import { type DateFormat, dateFormats } from '../dates.js';
import { EmployeeImports } from '../employee-imports.js';
import { type ImportOptions, type ImportOutcome, importEmployees } from '../import-employees.js';
import { readJsonEntries } from '../json-entries.js';
import { splitLines, UnusableFileError } from '../lines.js';
import { MissingEmployees } from '../missing-employees.js';
import { addDeleteCommand } from './delete.js';
import { collectNumbers, deleteMissing, type MissingReport } from './missing.js';
import { ProgressDisplay } from './progress.js';
import { type ImportFormat, type ImportSource, openSource } from './source.js';

/** Describes the outcome of an import: the reason why it stopped, if it is not complete, and the counts. */
function describeOutcome({ counts, ending }: ImportOutcome, { dryRun }: { dryRun: boolean }): string[] {
  const { read, created, updated, unchanged, rejected, superseded, managersRejected } = counts;
  const became = (count: number, word: string) =>
    `${numberText(count)} ${dryRun && word !== 'unchanged' ? 'would be ' : ''}${word}`;
  const parts = [became(created, 'created'), became(updated, 'updated'), became(unchanged, 'unchanged')];
  parts.push(`${numberText(rejected)} rejected`);
  if (superseded > 0) {
    parts.push(`${numberText(superseded)} replaced by a later one with the same employee_number`);
  }
  if (managersRejected > 0)
    parts.push(`${numberText(managersRejected)} without the manager or another employee in the file`);
  const pending = read - created - updated - unchanged - rejected - superseded;
  if (pending > 0) parts.push(`${numberText(pending)} not stored`);
  const summary = `${numberText(read)} records read: ${parts.join(', ')}.`;
  const lines = [...describeEnding(ending, counts.rejected), summary];
  if (dryRun) lines.push('This was a dry run: nothing was changed.');
  else if (ending.kind !== 'complete') {
    lines.push('Created and updated employees are stored. Run the import again to continue.');
  }
  return lines;
}

/** Exit code of an import. */
function exitCodeOf({ counts, ending }: ImportOutcome): ExitCode {
  if (ending.kind === 'interrupted') return exitCodes.interrupted;
  if (ending.kind !== 'complete') return exitCodes.failure;
  return counts.rejected + counts.managersRejected > 0 ? exitCodes.rejectedLines : exitCodes.ok;
}

function describeEnding(ending: ImportOutcome['ending'], rejected: number): string[] {
  switch (ending.kind) {
    case 'complete':
      return [];
    case 'interrupted':
      return ['Interrupted.'];
    case 'too_many_rejected':
      return [
        `Stopped after ${numberText(rejected)} rejected ${rejected === 1 ? 'line' : 'lines'} (--max-errors).`,
      ];
    case 'failed': {
      const { error, lines } = ending;
      // If the connection was lost during the commit, the outcome is unknown.
      const became = isStatementRejected(error) ? 'were not stored' : 'may not have been stored';
      const where = lines.count > 0 ? `lines ${lines.first} to ${lines.last} ${became}: ` : '';
      return [`Failed: ${where}${describeError(error)}`];
    }
  }
}

interface ImportCommandOptions {
  readonly account: string;
  readonly dryRun?: boolean;
  readonly format?: ImportFormat;
  readonly delimiter?: keyof typeof delimiterNames;
  readonly dates: DateFormat;
  readonly batchSize: number;
  readonly maxErrors: number;
  readonly deleteMissing?: boolean;
  readonly deleteLimit: number;
  readonly json?: boolean;
}

const delimiterNames = { comma: ',', semicolon: ';', tab: '\t' } as const satisfies Record<string, Delimiter>;

const required = requiredMembers.map((members) => members.map(({ name }) => name).join(' or '));
const optional = recordMembers
  .filter((member) => !requiredMembers.flat().includes(member))
  .map(({ name }) => name);

const help = `
The file has a record for each employee. In CSV and in the first visible sheet of a workbook, the first row names the
attributes, in any order; in JSON Lines each line is an object. Text is UTF-8, UTF-16 or Windows-1252; that of standard input
is UTF-8.
  required: ${required.join(', ')}
  optional: ${optional.join(', ')}. Absent: unchanged; empty or null: removed.
Custom attributes of the account are columns custom.<key> in CSV, or have their label or key as name; in JSON Lines they are
members custom.<key>, or members of an object custom. Those that the account requires are required in each record. Values are
yes or no for such an attribute, and have semicolons between several choices. An employee is named by employee number or id.
Dates are YYYY-MM-DD. With --dates they can also be 1.2.2023 or 1/2/2023 (dmy or mdy), or day numbers of Excel (serial).
The manager is named by manager_id or by manager_employee_number. Managers and employees in custom attributes may come later in
the file. They are stored after all lines; one that is unknown, or a manager that leads to a cycle, is reported, and the record
stored without it.
Employees are created or updated by employee_number; unchanged ones are not written. Rejected lines are reported on
standard error and skipped. Each batch of lines is stored in one transaction; if an employee_number occurs several times in
a batch, the last record counts. An interrupted import can be run again.
With --delete-missing, employees of the account who are not in the file are deleted after a complete import without rejected
lines. Nothing is deleted if they are more than 20 % of the employees (--delete-limit).

Examples:
  npm run cli -- employees import staff.csv --account Initech --dry-run
  npm run cli -- employees import staff.jsonl --account Initech
  npm run cli -- employees import staff.csv --account Initech --delete-missing --dry-run
  zcat staff.csv.gz | npm run --silent cli -- employees import - --format csv --account Initech --json`;

/** `employees import` and `delete` */
export function addEmployeeCommands(program: Command, commandProcess: CommandProcess): void {
  const employees = program.command('employees').description('manage employee records');
  addDeleteCommand(employees, commandProcess);
  employees
    .command('import')
    .description('create and update employees from a file')
    .argument('<file>', 'Excel workbook (.xlsx), CSV or JSON Lines; - is standard input')
    .addOption(accountOption().makeOptionMandatory())
    .option(
      '--dry-run',
      'validate the file against the database and print the result without changing anything',
    )
    .addOption(
      new Option('--format <format>', 'format of the file (default: by its name)').choices(['csv', 'jsonl']),
    )
    .addOption(
      new Option(
        '--delimiter <delimiter>',
        'between the columns of CSV (default: recognized from the header)',
      ).choices(Object.keys(delimiterNames)),
    )
    .addOption(
      new Option('--dates <format>', 'order of dates in CSV that do not have the year first')
        .choices(dateFormats)
        .default('ymd'),
    )
    .option('--batch-size <n>', 'lines in one transaction', integerBetween(1, 10_000), 2_000)
    .option(
      '--max-errors <n>',
      'rejected lines after which the import stops',
      integerBetween(0, 1_000_000_000),
      1_000,
    )
    .option('--delete-missing', 'delete the employees who are not in the file')
    .option(
      '--delete-limit <percent>',
      'percentage of the employees that --delete-missing may delete',
      integerBetween(0, 100),
      20,
    )
    .addOption(jsonOption())
    .addHelpText('after', help)
    .action((file: string, options: ImportCommandOptions) =>
      interruptible(async (signal) => {
        const source = await openSource(commandProcess, file, { format: options.format, signal });
        const { outcome, missing } = await withContext(commandProcess, (context) =>
          runImport(context, source, options, signal),
        );
        report(commandProcess, outcome, { ...options, missing });
        const exitCode = exitCodeOf(outcome);
        commandProcess.exitCode = exitCode === exitCodes.ok && missing?.failed ? exitCodes.failure : exitCode;
      }),
    );
}

function report(
  commandProcess: CommandProcess,
  outcome: ImportOutcome,
  { json, dryRun = false, missing }: ImportCommandOptions & { missing: MissingReport | undefined },
): void {
  const { counts, ending } = outcome;
  const lines = describeOutcome(outcome, { dryRun });
  if (ending.kind !== 'complete') commandProcess.stderr.write(`${lines.shift()}\n`);
  for (const line of missing?.lines ?? []) {
    if (missing?.failed) commandProcess.stderr.write(`${line}\n`);
    else lines.push(line);
  }
  if (json) {
    const { managersRejected: managers_rejected, ...records } = counts;
    const deleted = missing && { deleted: missing.deleted };
    const printed = { ...records, managers_rejected, ...deleted, ending: ending.kind, dry_run: dryRun };
    print(commandProcess, JSON.stringify(printed));
  } else print(commandProcess, lines.join('\n'));
}

async function runImport(
  { commandProcess, database, accounts, clock }: CommandContext,
  source: ImportSource,
  options: ImportCommandOptions,
  signal: AbortSignal,
): Promise<{ outcome: ImportOutcome; missing: MissingReport | undefined }> {
  const { account, dryRun = false, delimiter, dates, batchSize, maxErrors } = options;
  const { id: accountId } = await findAccount(accounts, account);
  const custom = await withScope(accountScope(accountId), () =>
    readActiveAttributes(database.prisma, accountId),
  );
  const { attributes, check } = createEmployeeCheck(loadContract()).withCustom(custom);
  const numbers = new Set<string>();
  const progress = new ProgressDisplay(commandProcess.stderr, source.totalBytes);
  const lines = splitLines(source.pieces);
  try {
    const importOptions: ImportOptions = {
      imports: new EmployeeImports(database, clock),
      accountId,
      entries:
        source.format === 'csv'
          ? readCsvEntries(lines, attributes, {
              delimiter: delimiter && delimiterNames[delimiter],
              dateFormatOf: () => dates,
            })
          : readJsonEntries(lines),
      check: options.deleteMissing ? collectNumbers(check, numbers) : check,
      fileName: source.name,
      batchSize,
      maximumRejected: maxErrors,
      dryRun,
      signal,
      onRejected: (line, errors) => progress.log(`line ${line}: ${sanitizeForTerminal(errors.join('; '))}`),
      onProgress: ({ read }) => progress.update({ lines: read, bytes: source.bytesRead }),
    };
    return await withScope(accountScope(accountId), async () => {
      if (!options.deleteMissing)
        return { outcome: await importEmployees(importOptions), missing: undefined };
      const missingEmployees = new MissingEmployees(database, clock);
      const start = await missingEmployees.start(accountId);
      const outcome = await importEmployees(importOptions);
      const request = { accountId, numbers, start, maximumPercent: options.deleteLimit, dryRun };
      return { outcome, missing: await deleteMissing(missingEmployees, outcome, request) };
    });
  } catch (error) {
    if (error instanceof UnusableFileError)
      throw new CliError(`${sanitizeForTerminal(source.name)}: ${sanitizeForTerminal(error.message)}`);
    throw error;
  } finally {
    progress.end();
  }
}
