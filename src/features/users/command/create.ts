import type { Command } from 'commander';
import { personNameRule } from '../../../platform/accounts/name-rules.js';
import { normalizeEmail } from '../../../platform/accounts/normalize.js';
import type { Role } from '../../../platform/accounts/user.js';
import { emailRule } from '../../../platform/accounts/user-rules.js';
import {
  accountOption,
  asCliError,
  checkedBy,
  findAccount,
  jsonOption,
  roleOption,
} from '../../../platform/cli/arguments.js';
import type { CommandProcess } from '../../../platform/cli/command-process.js';
import { withContext } from '../../../platform/cli/context.js';
import { readNewPassword } from '../../../platform/cli/password.js';
import { harmless, print } from '../../../platform/cli/print.js';

interface CreateOptions {
  readonly account: string;
  readonly email: string;
  readonly role: Role;
  readonly givenName: string;
  readonly familyName: string;
  readonly json?: boolean;
}

/** `users create` */
export function addCreateCommand(users: Command, commandProcess: CommandProcess): void {
  users
    .command('create')
    .description('create a user who can sign in to an account')
    .addOption(accountOption().makeOptionMandatory())
    .requiredOption('--email <address>', 'e-mail address of the user, for signing in', checkedBy(emailRule))
    .addOption(roleOption().makeOptionMandatory())
    .requiredOption('--given-name <name>', 'given name', checkedBy(personNameRule))
    .requiredOption('--family-name <name>', 'family name', checkedBy(personNameRule))
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
The password is prompted for, or read from standard input: one line with at least 12 characters.

Examples:
  npm run cli -- users create --account Initech --email milton@initech.example --role member \\
    --given-name Milton --family-name Waddams
  npm run cli -- users create --account Initech --email milton@initech.example --role member \\
    --given-name Milton --family-name Waddams < password.txt`,
    )
    .action((options: CreateOptions) => create(commandProcess, options));
}

async function create(
  commandProcess: CommandProcess,
  { account, email: given, role, givenName, familyName, json }: CreateOptions,
): Promise<void> {
  const email = normalizeEmail(given);
  await withContext(commandProcess, async ({ accounts, users, clock }) => {
    const { id: accountId, name } = await findAccount(accounts, account);
    const user = { email, role, givenName, familyName, password: await readNewPassword(commandProcess) };
    const id = await users.create(accountId, { user, at: clock() }).catch(asCliError);
    if (json) print(commandProcess, JSON.stringify({ id, account_id: accountId, email, role }));
    else print(commandProcess, `Created user ${id} (${harmless(email)}) as ${role} of ${harmless(name)}.`);
  });
}
