import { type Command, Option } from 'commander';
import { loadContract } from '../../contract/contract.js';
import { accountScope, withScope } from '../../database/scope.js';
import { givenAttributes } from '../../services/employees/employee-attributes.js';
import { accountOption, findAccount, jsonOption, wholeNumber } from '../arguments.js';
import { CliError } from '../cli-error.js';
import type { CommandProcess } from '../command-process.js';
import { type CommandContext, withContext } from '../context.js';
import { readCsvEntries } from '../import/csv-entries.js';
import { createEmployeeCheck } from '../import/employee-check.js';
import { UnusableFileError } from '../import/entry.js';
import { type ImportOptions, type ImportOutcome, importEmployees } from '../import/import-employees.js';
import { interruptible } from '../import/interruption.js';
import { readJsonEntries } from '../import/json-entries.js';
import { splitLines } from '../import/lines.js';
import { Progress } from '../import/progress.js';
import { type ImportFormat, type ImportSource, openSource } from '../import/source.js';
import { describeOutcome, exitCodeOf } from '../import/summary.js';
import { harmless, print } from '../print.js';

interface ImportCommandOptions {
  readonly account: string;
  readonly dryRun?: boolean;
  readonly format?: ImportFormat;
  readonly batchSize: number;
  readonly maxErrors: number;
  readonly json?: boolean;
}

const required = givenAttributes.filter(({ nullable }) => !nullable).map(({ name }) => name);
const optional = givenAttributes.filter(({ nullable }) => nullable).map(({ name }) => name);

const help = `
The file has a record for each employee. In CSV the first row names the attributes, in any order; in JSON Lines each line
is an object.
  required: ${required.join(', ')}
${optional.length === 0 ? '' : `  optional: ${optional.join(', ')}. Absent: unchanged; empty or null: removed.\n`}
Employees are created or updated by employee_number; unchanged ones are not written, and none are deleted. Rejected lines
are reported on standard error and skipped. Each batch of lines is stored in one transaction; if an employee_number occurs
several times in a batch, the last record counts. An interrupted import can be run again.

Examples:
  npm run cli -- employees import staff.csv --account Initech --dry-run
  npm run cli -- employees import staff.jsonl --account Initech
  zcat staff.csv.gz | npm run --silent cli -- employees import - --format csv --account Initech --json`;

/** `employees import` */
export function addEmployeeCommands(program: Command, commandProcess: CommandProcess): void {
  program
    .command('employees')
    .description('manage employee records')
    .command('import')
    .description('create and update employees from a file')
    .argument('<file>', 'CSV or JSON Lines in UTF-8; - is standard input')
    .addOption(accountOption().makeOptionMandatory())
    .option(
      '--dry-run',
      'validate the file against the database and print the result without changing anything',
    )
    .addOption(
      new Option('--format <format>', 'format of the file (default: by its name)').choices(['csv', 'jsonl']),
    )
    .option('--batch-size <n>', 'lines in one transaction', wholeNumber(1, 10_000), 2_000)
    .option(
      '--max-errors <n>',
      'rejected lines after which the import stops',
      wholeNumber(0, 1_000_000_000),
      1_000,
    )
    .addOption(jsonOption())
    .addHelpText('after', help)
    .action((file: string, options: ImportCommandOptions) =>
      interruptible(async (signal) => {
        const source = await openSource(commandProcess, file, { format: options.format, signal });
        const outcome = await withContext(commandProcess, (context) =>
          runImport(context, source, options, signal),
        );
        report(commandProcess, outcome, options);
        commandProcess.exitCode = exitCodeOf(outcome);
      }),
    );
}

function report(
  commandProcess: CommandProcess,
  outcome: ImportOutcome,
  { json, dryRun = false }: ImportCommandOptions,
): void {
  const { counts, ending } = outcome;
  const lines = describeOutcome(outcome, { dryRun });
  if (ending.kind !== 'complete') commandProcess.stderr.write(`${lines.shift()}\n`);
  if (json) print(commandProcess, JSON.stringify({ ...counts, ending: ending.kind, dry_run: dryRun }));
  else print(commandProcess, lines.join('\n'));
}

async function runImport(
  { commandProcess, services }: CommandContext,
  source: ImportSource,
  { account, dryRun = false, batchSize, maxErrors }: ImportCommandOptions,
  signal: AbortSignal,
): Promise<ImportOutcome> {
  const { id: accountId } = await findAccount(services.accounts, account);
  const { attributes, check } = createEmployeeCheck(loadContract());
  const progress = new Progress(commandProcess.stderr, source.totalBytes);
  const lines = splitLines(source.pieces);
  try {
    const options: ImportOptions = {
      imports: services.employeeImports,
      accountId,
      entries: source.format === 'csv' ? readCsvEntries(lines, attributes) : readJsonEntries(lines),
      check,
      fileName: source.name,
      batchSize,
      maximumRejected: maxErrors,
      dryRun,
      signal,
      onRejected: (line, errors) => progress.log(`line ${line}: ${harmless(errors.join('; '))}`),
      onProgress: ({ read }) => progress.update({ lines: read, bytes: source.bytesRead }),
    };
    return await withScope(accountScope(accountId), () => importEmployees(options));
  } catch (error) {
    if (error instanceof UnusableFileError)
      throw new CliError(`${harmless(source.name)}: ${harmless(error.message)}`);
    throw error;
  } finally {
    progress.end();
  }
}
