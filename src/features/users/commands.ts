import type { Command } from 'commander';
import type { AccountId } from '../../platform/accounts/account-id.js';
import { personNameRule } from '../../platform/accounts/name-rules.js';
import { normalizeEmail } from '../../platform/accounts/normalize.js';
import type { Role } from '../../platform/accounts/user.js';
import { emailRule } from '../../platform/accounts/user-rules.js';
import type { Users } from '../../platform/accounts/users.js';
import {
  accountOption,
  asCliError,
  checkedBy,
  findAccount,
  jsonOption,
  roleOption,
} from '../../platform/cli/arguments.js';
import { type CommandProcess, withContext } from '../../platform/cli/context.js';
import { readNewPassword } from '../../platform/cli/password.js';
import { print, printList, type Row, sanitizeForTerminal } from '../../platform/cli/print.js';
import { addEmailCommand, addPasswordCommand, addRoleCommand, addStateCommands } from './change-commands.js';

const pageSize = 500;

/** `users list` */
function addListCommand(users: Command, commandProcess: CommandProcess): void {
  users
    .command('list')
    .description('list the users of an account')
    .addOption(accountOption().makeOptionMandatory())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  npm run cli -- users list --account Initech
  npm run --silent cli -- users list --account Initech --json`,
    )
    .action((options: { account: string; json?: boolean }) =>
      withContext(commandProcess, async ({ accounts, users }) => {
        const { id: accountId } = await findAccount(accounts, options.account);
        const rows = await readRows(users, accountId);
        printList(
          commandProcess,
          ['id', 'email', 'role', 'state', 'second_factor', 'created_at'],
          rows,
          options,
        );
      }),
    );
}

async function readRows(service: Users, accountId: AccountId): Promise<Row[]> {
  const rows: Row[] = [];
  for (let after = ''; ; ) {
    const users = await service.list(accountId, { after, size: pageSize });
    for (const { id, email, role, disabledAt, createdAt, hasAuthenticatorApp, passkeys } of users) {
      const state = disabledAt === null ? 'enabled' : 'disabled';
      const factors = [
        ...(hasAuthenticatorApp ? ['authenticator_app'] : []),
        ...(passkeys > 0 ? ['passkey'] : []),
      ];
      const second_factor = factors.join(',') || 'none';
      rows.push({ id, email, role, state, second_factor, created_at: createdAt.toISOString() });
      after = email;
    }
    if (users.length < pageSize) return rows;
  }
}

interface CreateOptions {
  readonly account: string;
  readonly email: string;
  readonly role: Role;
  readonly givenName: string;
  readonly familyName: string;
  readonly json?: boolean;
}

/** `users create` */
function addCreateCommand(users: Command, commandProcess: CommandProcess): void {
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
    else
      print(
        commandProcess,
        `Created user ${id} (${sanitizeForTerminal(email)}) as ${role} of ${sanitizeForTerminal(name)}.`,
      );
  });
}

/**
 * `users create`, `list`, `disable`, `enable`, `set-role`, `set-email`, `set-password`, `revoke-sessions` and
 * `remove-second-factors`
 */
export function addUserCommands(program: Command, commandProcess: CommandProcess): void {
  const users = program.command('users').description('manage users');
  addCreateCommand(users, commandProcess);
  addListCommand(users, commandProcess);
  addStateCommands(users, commandProcess);
  addRoleCommand(users, commandProcess);
  addEmailCommand(users, commandProcess);
  addPasswordCommand(users, commandProcess);
}
