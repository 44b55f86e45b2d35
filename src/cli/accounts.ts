import type { Command } from 'commander';
import { addDomainCommands } from '../features/single-sign-on/commands.js';
import { accountNameRule, personNameRule } from '../platform/accounts/name-rules.js';
import { emailRule } from '../platform/accounts/user-rules.js';
import { asCliError, checkedBy, jsonOption } from '../platform/cli/arguments.js';
import { CliError, exitCodes } from '../platform/cli/cli-error.js';
import { type CommandProcess, withContext } from '../platform/cli/context.js';
import { readNewPassword } from '../platform/cli/password.js';
import { print, printList, sanitizeForTerminal } from '../platform/cli/print.js';

interface CreateOptions {
  readonly name: string;
  readonly ownerEmail?: string;
  readonly givenName?: string;
  readonly familyName?: string;
  readonly json?: boolean;
}

/** `accounts create`, `accounts list` and the commands for domains */
export function addAccountCommands(program: Command, commandProcess: CommandProcess): void {
  const accounts = program
    .command('accounts')
    .description('manage accounts; each has its own users and employees');
  accounts
    .command('create')
    .description('create an account, optionally with its first owner')
    .requiredOption('--name <name>', 'name of the account', checkedBy(accountNameRule))
    .option(
      '--owner-email <address>',
      'e-mail address of the first owner, for signing in',
      checkedBy(emailRule),
    )
    .option('--first-name, --given-name <name>', 'first name of the owner', checkedBy(personNameRule))
    .option('--last-name, --family-name <name>', 'last name of the owner', checkedBy(personNameRule))
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
The password of the owner is prompted for, or read from standard input: one line with at least 12 characters.

Examples:
  npm run cli -- accounts create --name Initech
  npm run cli -- accounts create --name Initech \\
    --owner-email bill@initech.example --first-name Bill --last-name Lumbergh < password.txt`,
    )
    .action((options: CreateOptions) => create(commandProcess, options));
  accounts
    .command('list')
    .description('list all accounts')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      '\nExamples:\n  npm run cli -- accounts list\n  npm run --silent cli -- accounts list --json',
    )
    .action((options: { json?: boolean }) =>
      withContext(commandProcess, async ({ accounts }) => {
        const rows = (await accounts.list()).map(({ id, name, users, employees, createdAt }) => {
          return { id, name, users, employees, created_at: createdAt.toISOString() };
        });
        printList(commandProcess, ['id', 'name', 'users', 'employees', 'created_at'], rows, options);
      }),
    );
  addDomainCommands(accounts, commandProcess);
}

async function create(
  commandProcess: CommandProcess,
  { name, ownerEmail, givenName, familyName, json }: CreateOptions,
): Promise<void> {
  const given = [ownerEmail, givenName, familyName].filter((value) => value !== undefined);
  if (given.length % 3 !== 0) {
    throw new CliError('--owner-email, --first-name and --last-name must be used together', exitCodes.usage);
  }
  await withContext(commandProcess, async ({ accounts, clock }) => {
    const owner =
      ownerEmail === undefined || givenName === undefined || familyName === undefined
        ? undefined
        : {
            email: ownerEmail,
            givenName,
            familyName,
            role: 'owner' as const,
            password: await readNewPassword(commandProcess),
          };
    const { accountId, ownerId } = await accounts.create({ name, owner, at: clock() }).catch(asCliError);
    if (json) print(commandProcess, JSON.stringify({ id: accountId, name, owner_id: ownerId }));
    else
      print(
        commandProcess,
        `Created account ${accountId} (${sanitizeForTerminal(name)})${ownerId === null ? '' : ` with owner ${ownerId}`}.`,
      );
  });
}
