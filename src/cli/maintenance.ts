import type { Command } from 'commander';
import { CliError } from '../platform/cli/cli-error.js';
import { type CommandProcess, withContext } from '../platform/cli/context.js';
import { print } from '../platform/cli/print.js';
import { DistributionError, distribute } from '../platform/database/distribute.js';
import { Housekeeping } from '../process/housekeeping.js';

const outcomes = {
  distributed: 'distributed',
  already_distributed: 'already distributed',
  failed: 'not distributed',
} as const;

/** `migrate`, `distribute` and `prune` */
export function addMaintenanceCommands(program: Command, commandProcess: CommandProcess): void {
  program
    .command('migrate')
    .description('apply the migrations of the database; the server also does this when it starts')
    .action(() =>
      withContext(commandProcess, async () => print(commandProcess, 'The database is up to date.')),
    );

  program
    .command('distribute')
    .description('distribute account data over the workers of Citus; stop the server first')
    .action(() =>
      withContext(commandProcess, async ({ database }) => {
        const tables = await distribute(database).catch((error: unknown) => {
          throw error instanceof DistributionError ? new CliError(error.message) : error;
        });
        for (const { table, outcome, reason } of tables)
          print(commandProcess, `${table}: ${outcomes[outcome]}${reason === undefined ? '' : `: ${reason}`}`);
        if (tables.some(({ outcome }) => outcome === 'failed'))
          throw new CliError(
            'Not all tables are distributed. Run the command again after correcting the cause.',
          );
      }),
    );

  program
    .command('prune')
    .description('delete expired codes, tokens, sessions and records; the server also does this regularly')
    .action(() =>
      withContext(commandProcess, async ({ database, config, clock }) => {
        for (const [table, count] of Object.entries(await new Housekeeping(database, config).prune(clock())))
          print(commandProcess, `${table}: ${count}`);
      }),
    );
}
