import { systemClock } from '../clock.js';
import { type Config, readConfig } from '../config/config.js';
import type { Database } from '../database/client.js';
import { migrate } from '../database/migrate.js';
import { openDatabase } from '../database/open-database.js';
import { allAccounts, withScope } from '../database/scope.js';
import { resolveAppSecrets } from '../process/app-secret.js';
import type { AppSecrets } from '../services/keyring.js';
import type { CommandProcess } from './command-process.js';
import { type CommandServices, composeCommandServices } from './services.js';

/** Services of a command, on the migrated database of the environment. */
export interface CommandContext {
  readonly commandProcess: CommandProcess;
  readonly config: Config;
  readonly database: Database;
  readonly services: CommandServices;
  readonly clock: typeof systemClock;
  appSecrets(): Promise<AppSecrets>;
}

/**
 * Opens the database for one command and closes it afterwards. Commands have access to all accounts.
 */
export async function withContext<Result>(
  commandProcess: CommandProcess,
  command: (context: CommandContext) => Promise<Result>,
): Promise<Result> {
  const config = readConfig(commandProcess.env);
  const logger = {
    warn: (_: object, message: string) => commandProcess.stderr.write(`Warning: ${message}\n`),
  };
  const database = await (commandProcess.openDatabase ?? openDatabase)(config);
  try {
    await migrate(database);
    const services = composeCommandServices(database, systemClock, { config, logger });
    const context: CommandContext = {
      commandProcess,
      config,
      database,
      services,
      clock: systemClock,
      appSecrets: () => resolveAppSecrets(config),
    };
    const result = await withScope(allAccounts, () => command(context));
    await services.notices.settled();
    return result;
  } finally {
    await database.close();
  }
}
