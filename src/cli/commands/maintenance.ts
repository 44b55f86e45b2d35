import type { Command } from 'commander';
import { withContext } from '../context.js';
import { print } from '../print.js';
import type { Surroundings } from '../surroundings.js';

/** `migrate` and `prune` */
export function addMaintenanceCommands(program: Command, surroundings: Surroundings): void {
  program
    .command('migrate')
    .description('bring the tables of the database up to date, as every start of the server does')
    .action(() => withContext(surroundings, async () => print(surroundings, 'The database is up to date.')));

  program
    .command('prune')
    .description('delete expired codes, tokens, sessions and records, as the server does by itself')
    .action(() =>
      withContext(surroundings, async ({ services: { housekeeping }, clock }) => {
        for (const [table, count] of Object.entries(await housekeeping.prune(clock())))
          print(surroundings, `${table}: ${count}`);
      }),
    );
}
