import type { Readable } from 'node:stream';
import { Accounts } from '../accounts/accounts.js';
import { Users } from '../accounts/users.js';
import { systemClock } from '../clock.js';
import { type Config, readConfig } from '../config/config.js';
import { resolveAppSecrets } from '../crypto/app-secret.js';
import type { AppSecrets } from '../crypto/keyring.js';
import type { Database } from '../database/client.js';
import { migrate } from '../database/migrate.js';
import { openDatabase } from '../database/open-database.js';
import { allAccounts, withScope } from '../database/scope.js';
import { LinkDelivery } from '../mail/link-delivery.js';
import { SecurityEmails } from '../mail/security-emails.js';

interface Output {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Environment, streams and exit code of a command. `process` is one. */
export interface CommandProcess {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  /** Default: opens the database of the environment for the command. A caller with an open database can share it. */
  readonly openDatabase?: typeof openDatabase;
  exitCode?: NodeJS.Process['exitCode'];
}

/** What every command needs, on the migrated database of the environment. */
export interface CommandContext {
  readonly commandProcess: CommandProcess;
  readonly config: Config;
  readonly database: Database;
  readonly accounts: Accounts;
  readonly users: Users;
  readonly securityEmails: SecurityEmails;
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
    const delivery = new LinkDelivery({ config, clock: systemClock, logger });
    const securityEmails = new SecurityEmails(database, delivery, logger);
    const context: CommandContext = {
      commandProcess,
      config,
      database,
      accounts: new Accounts(database),
      users: new Users(database),
      securityEmails,
      clock: systemClock,
      appSecrets: () => resolveAppSecrets(config),
    };
    const result = await withScope(allAccounts, () => command(context));
    await securityEmails.settled();
    return result;
  } finally {
    await database.close();
  }
}
