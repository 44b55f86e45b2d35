import type { Command } from 'commander';
import type { CommandProcess } from '../command-process.js';
import { withContext } from '../context.js';
import { print } from '../print.js';

/** `migrate` and `prune` */
export function addMaintenanceCommands(program: Command, commandProcess: CommandProcess): void {
  program
    .command('migrate')
    .description('bring the tables of the database up to date, as every start of the server does')
    .action(() =>
      withContext(commandProcess, async () => print(commandProcess, 'The database is up to date.')),
    );

  program
    .command('prune')
    .description('delete expired codes, tokens, sessions and records, as the server does by itself')
    .action(() =>
      withContext(commandProcess, async ({ services: { housekeeping }, clock }) => {
        for (const [table, count] of Object.entries(await housekeeping.prune(clock())))
          print(commandProcess, `${table}: ${count}`);
      }),
    );
}
