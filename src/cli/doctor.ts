import type { Command } from 'commander';
import { readIssuer } from '../oauth/recorded-issuer.js';
import { CliError } from '../platform/cli/cli-error.js';
import type { CommandProcess } from '../platform/cli/context.js';
import { print, sanitizeForTerminal } from '../platform/cli/print.js';
import { systemClock } from '../platform/clock.js';
import { type Config, readConfig } from '../platform/config/config.js';
import type { Database } from '../platform/database/client.js';
import { describeError } from '../platform/database/database-errors.js';
import { pendingMigrations } from '../platform/database/migrate.js';
import { openDatabase } from '../platform/database/open-database.js';
import { allAccounts, withScope } from '../platform/database/scope.js';
import { Mailer } from '../platform/mail/mailer.js';
import { describeFailure } from '../process/operator-errors.js';

/** Seconds that the clock may differ from that of the database. Access tokens and links are limited to minutes. */
const maximumClockDifference = 5;

/** Milliseconds that the server at `BASE_URL` has to respond. */
const responseTimeoutMs = 5_000;

/** What a check has found. `attention`: the server starts, but something may not work. */
interface Finding {
  readonly result: 'ok' | 'attention';
  readonly text: string;
}

/** `doctor` */
export function addDoctorCommand(program: Command, commandProcess: CommandProcess): void {
  program
    .command('doctor')
    .description('check the configuration, the database, the clock, mail and BASE_URL; nothing is changed')
    .action(() => examine(commandProcess));
}

/**
 * Prints one line for each check: `ok`, `attention` or `failed`.
 *
 * @throws {CliError} when a check failed
 */
async function examine(commandProcess: CommandProcess): Promise<void> {
  let failed = 0;
  const check = async (title: string, run: () => Promise<Finding>): Promise<void> => {
    const { result, text } = await run().catch((error: unknown) => {
      failed += 1;
      return { result: 'failed', text: describeFailure(error) };
    });
    print(commandProcess, `${result.padEnd(10)}${title}: ${sanitizeForTerminal(text)}`);
  };

  // Throws a list of all invalid variables, without which nothing can be checked.
  const config = readConfig(commandProcess.env);
  print(commandProcess, 'ok        Configuration: all variables are valid');
  let database: Database | undefined;
  await check('Database', async () => {
    database = await (commandProcess.openDatabase ?? openDatabase)(config);
    return ok(await describeDatabase(database));
  });
  if (database !== undefined) {
    const opened = database;
    try {
      await withScope(allAccounts, async () => {
        await check('Migrations', () => checkMigrations(opened));
        await check('Isolation', () => checkIsolation(opened, config));
        await check('Clock', () => checkClock(opened));
        await check('Issuer', () => checkIssuer(opened, config));
      });
    } finally {
      await opened.close();
    }
  }
  await check('Mail', () => checkMail(config));
  await check('BASE_URL', () => checkBaseUrl(config));
  if (failed > 0) throw new CliError(failed === 1 ? 'A check failed.' : `${failed} checks failed.`);
}

function ok(text: string): Finding {
  return { result: 'ok', text };
}

function attention(text: string): Finding {
  return { result: 'attention', text };
}

async function describeDatabase({ prisma, kind }: Database): Promise<string> {
  const [row] = await prisma.$queryRaw<
    { version: string }[]
  >`SELECT current_setting('server_version') AS version`;
  return `${kind === 'embedded' ? 'embedded PostgreSQL' : 'PostgreSQL'} ${row?.version ?? ''}`;
}

async function checkMigrations(database: Database): Promise<Finding> {
  const pending = await pendingMigrations(database);
  return pending.length === 0
    ? ok('all are applied')
    : attention(`the next start, or "npm run cli -- migrate", applies ${pending.join(', ')}`);
}

async function checkIsolation(database: Database, { allowUnisolated }: Config): Promise<Finding> {
  await database.checkIsolation();
  return allowUnisolated
    ? attention('ALLOW_UNISOLATED is set: the server also starts without row-level security')
    : ok('row-level security applies to the user of the database');
}

async function checkClock({ prisma }: Database): Promise<Finding> {
  const before = systemClock().getTime();
  const [row] = await prisma.$queryRaw<{ now: Date }[]>`SELECT clock_timestamp() AS now`;
  const after = systemClock().getTime();
  const now = row?.now.getTime() ?? before;
  // The time of the statement itself does not count.
  const difference = Math.max(before - now, now - after, 0) / 1_000;
  if (difference <= maximumClockDifference) return ok('it agrees with the clock of the database');
  throw new CliError(`it differs from the clock of the database by ${Math.round(difference)} seconds`);
}

async function checkIssuer({ prisma, kind }: Database, { baseUrl }: Config): Promise<Finding> {
  const recorded = (await isIssuerTableMissing(prisma)) ? null : await readIssuer(prisma);
  if (recorded === null) return ok('none is recorded before the first start');
  if (recorded === baseUrl) return ok(`it is ${recorded}, as BASE_URL`);
  const difference = `tokens of this database are issued by ${recorded}, and BASE_URL is ${baseUrl}`;
  if (kind === 'embedded')
    return attention(`${difference}: the next start changes it, and rejects earlier tokens`);
  throw new CliError(`${difference}: set BASE_URL, or run "npm run cli -- issuer set ${baseUrl}"`);
}

/** Whether the table of the issuer does not exist yet. */
async function isIssuerTableMissing(prisma: Database['prisma']): Promise<boolean> {
  const [row] = await prisma.$queryRaw<
    { missing: boolean }[]
  >`SELECT to_regclass('issuer') IS NULL AS missing`;
  return row?.missing ?? true;
}

async function checkMail(config: Config): Promise<Finding> {
  const mailer = new Mailer(config, systemClock);
  if (!mailer.canSendMail)
    return attention('SMTP_URL is not set: links are shown to the user who creates them');
  await mailer.connect().catch((cause) => {
    throw new CliError(`the server of SMTP_URL cannot be used: ${describeError(cause)}`);
  });
  return ok('the server of SMTP_URL accepts connections');
}

async function checkBaseUrl({ baseUrl }: Config): Promise<Finding> {
  const url = `${baseUrl}/.well-known/oauth-authorization-server`;
  let response: Response;
  try {
    response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(responseTimeoutMs) });
  } catch {
    return attention(`nothing responds at ${baseUrl}: start the server, or correct the proxy`);
  }
  const metadata = (await response.json().catch(() => null)) as { issuer?: unknown } | null;
  if (response.ok && metadata?.issuer === baseUrl)
    return ok(`a server of this issuer responds at ${baseUrl}`);
  throw new CliError(`${url} responds with status ${response.status}, and not with the issuer ${baseUrl}`);
}
