import type { Command } from 'commander';
import type { CommandProcess } from '../command-process.js';
import { withContext } from '../context.js';
import { print } from '../print.js';

/** `migrate` and `prune` */
export function addMaintenanceCommands(program: Command, commandProcess: CommandProcess): void {
  program
    .command('migrate')
    .description('apply the migrations of the database; the server also does this when it starts')
    .action(() =>
      withContext(commandProcess, async () => print(commandProcess, 'The database is up to date.')),
    );

  program
    .command('prune')
    .description('delete expired codes, tokens, sessions and records; the server also does this regularly')
    .action(() =>
      withContext(commandProcess, async ({ services: { housekeeping }, clock }) => {
        for (const [table, count] of Object.entries(await housekeeping.prune(clock())))
          print(commandProcess, `${table}: ${count}`);
      }),
    );
}
