import { Argument, type Command } from 'commander';
import type { AccountId } from '../../platform/accounts/account-id.js';
import { personNameRule } from '../../platform/accounts/name-rules.js';
import { normalizeEmail } from '../../platform/accounts/normalize.js';
import { type Role, roles } from '../../platform/accounts/user.js';
import { emailRule } from '../../platform/accounts/user-rules.js';
import type { Users } from '../../platform/accounts/users.js';
import type { AuditContext } from '../../platform/audit/audit-log.js';
import {
  accountOption,
  asCliError,
  checkedBy,
  findAccount,
  jsonOption,
  roleOption,
} from '../../platform/cli/arguments.js';
import { CliError } from '../../platform/cli/cli-error.js';
import { type CommandProcess, withContext } from '../../platform/cli/context.js';
import { readNewPassword } from '../../platform/cli/password.js';
import { print, printList, type Row, sanitizeForTerminal } from '../../platform/cli/print.js';
import { counted } from '../../platform/counted.js';
import { ruleText } from '../../platform/problems/rule-texts.js';
import {
  type EmailChange,
  type PasswordChange,
  UserAdministration,
  type UserChange,
} from './user-administration.js';

const pageSize = 500;

const passwordNote =
  'The password is prompted for, or read from standard input: one line with at least 12 characters.';

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
    .requiredOption('--first-name, --given-name <name>', 'first name', checkedBy(personNameRule))
    .requiredOption('--last-name, --family-name <name>', 'last name', checkedBy(personNameRule))
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
${passwordNote}

Examples:
  npm run cli -- users create --account Initech --email milton@initech.example --role member \\
    --first-name Milton --last-name Waddams
  npm run cli -- users create --account Initech --email milton@initech.example --role member \\
    --first-name Milton --last-name Waddams < password.txt`,
    )
    .action((options: CreateOptions) => create(commandProcess, options));
}

async function create(
  commandProcess: CommandProcess,
  { account, email: input, role, givenName, familyName, json }: CreateOptions,
): Promise<void> {
  const email = normalizeEmail(input);
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

/** A command that changes one user. */
interface ChangeCommand {
  readonly description: string;
  /** The argument after the user. */
  readonly argument?: Argument;
  /** Whether the value is a password, which is prompted for or read from standard input. */
  readonly readsPassword?: boolean;
  /** Text of the help. */
  readonly note?: string;
  /** What follows the command in each example of the help. */
  readonly examples?: readonly string[];
  /** @param value the argument or the password; empty for a command without one */
  make(
    service: UserAdministration,
    context: AuditContext,
    userId: string,
    value: string,
  ): Promise<UserChange | PasswordChange | EmailChange>;
  /** Predicate of a sentence about the user. */
  changed(value: string): string;
  /** Predicate of a sentence about the user; absent if every run changes the user. */
  unchanged?(value: string): string;
}

const exampleUser = 'milton@initech.example';

const changeCommands: Readonly<Record<string, ChangeCommand>> = {
  disable: {
    description: 'prevent a user from signing in and revoke the sessions and grants of the user',
    make: (service, context, id) => service.disable(context, id),
    changed: () => 'was disabled',
    unchanged: () => 'is already disabled',
  },
  enable: {
    description: 'allow a disabled user to sign in again; sessions and grants are not restored',
    make: (service, context, id) => service.enable(context, id),
    changed: () => 'was enabled',
    unchanged: () => 'is already enabled',
  },
  'revoke-sessions': {
    description: 'sign a user out of all browsers',
    make: (service, context, id) => service.revokeSessions(context, id),
    changed: () => 'was signed out',
    unchanged: () => 'has no sessions',
  },
  'remove-second-factors': {
    description: 'remove the authenticator app, passkeys and recovery codes of a user, who is signed out',
    make: (service, context, id) => service.removeSecondFactors(context, id),
    changed: () => 'no longer has a second factor',
    unchanged: () => 'has no second factor',
  },
  'set-role': {
    description: 'change the role of a user and revoke grants that the new role does not permit',
    argument: new Argument('<role>', 'the new role').choices(roles),
    note: 'The last enabled owner of an account stays an owner.',
    examples: [`${exampleUser} admin`],
    make: (service, context, id, role) => service.setRole(context, id, role as Role),
    changed: (role) => `now has the role ${role}`,
    unchanged: (role) => `already has the role ${role}`,
  },
  'set-email': {
    description: 'change the e-mail address that a user signs in with',
    argument: new Argument('<address>', 'the new e-mail address').argParser(checkedBy(emailRule)),
    note: 'Users change their address under My account when the server sends mail.',
    examples: [`${exampleUser} milton.waddams@initech.example`],
    make: (service, context, id, address) => service.setEmail(context, id, address),
    changed: (address) => `now signs in with ${sanitizeForTerminal(address)}`,
    unchanged: (address) => `already signs in with ${sanitizeForTerminal(address)}`,
  },
  'set-password': {
    description: 'set a new password for a user and revoke the sessions of the user',
    readsPassword: true,
    note: passwordNote,
    examples: [exampleUser, `${exampleUser} < password.txt`],
    make: (service, context, id, password) => service.setPassword(context, id, password),
    changed: () => 'has a new password',
  },
};

function addChangeCommand(
  users: Command,
  commandProcess: CommandProcess,
  [name, change]: [string, ChangeCommand],
): void {
  const { description, argument, note, examples = [exampleUser] } = change;
  const command = users
    .command(name)
    .description(description)
    .argument('<user>', 'e-mail address or id of the user')
    .addHelpText(
      'after',
      [
        ...(note === undefined ? [] : ['', note]),
        '\nExamples:',
        ...examples.map((example) => `  npm run cli -- users ${name} ${example}`),
      ].join('\n'),
    );
  if (argument !== undefined) command.addArgument(argument);
  command.action((user: string, value: unknown) =>
    changeUser(commandProcess, user, { ...change, value: typeof value === 'string' ? value : '' }),
  );
}

/**
 * Changes one user of any account and prints the result.
 *
 * @throws {CliError} when the user is unknown, or the change is rejected
 */
async function changeUser(
  commandProcess: CommandProcess,
  emailOrId: string,
  { make, changed, unchanged, readsPassword, value: argument }: ChangeCommand & { readonly value: string },
): Promise<void> {
  await withContext(commandProcess, async ({ database, users, securityEmails, clock }) => {
    const user = await users.find(emailOrId);
    if (user === null) throw unknownUser(emailOrId);
    const email = sanitizeForTerminal(user.email);
    const value = readsPassword ? await readNewPassword(commandProcess) : argument;
    const context = { accountId: user.accountId, at: clock() };
    const outcome = await make(new UserAdministration(database, securityEmails), context, user.id, value);
    switch (outcome.kind) {
      case 'changed':
        print(commandProcess, `User ${email} ${changed(value)}.${consequences(outcome)}`);
        return;
      case 'unchanged':
        print(commandProcess, `User ${email} ${unchanged?.(value) ?? 'is unchanged'}; nothing was changed.`);
        return;
      // The command line has no acting user, so every change is permitted.
      case 'forbidden':
      case 'not_found':
        throw unknownUser(emailOrId);
      case 'last_owner':
        throw new CliError(
          `User ${email} is the last enabled owner of ${sanitizeForTerminal(user.accountName)}; make another user an owner first`,
        );
      case 'email_taken':
        throw new CliError('The e-mail address belongs to another user, or its domain to another account');
      case 'invalid_password':
        throw new CliError(`The password ${ruleText(outcome.error)}`);
    }
  });
}

function unknownUser(emailOrId: string): CliError {
  return new CliError(`Unknown user ${sanitizeForTerminal(emailOrId)}; see: users list`);
}

function consequences({ revokedSessions, revokedGrants }: UserChange & { kind: 'changed' }): string {
  const parts = [
    ...(revokedSessions > 0 ? [counted(revokedSessions, 'session')] : []),
    ...(revokedGrants > 0 ? [counted(revokedGrants, 'grant')] : []),
  ];
  return parts.length === 0 ? '' : ` Revoked: ${parts.join(' and ')}.`;
}

/** `users create`, `users list` and the {@link changeCommands} */
export function addUserCommands(program: Command, commandProcess: CommandProcess): void {
  const users = program.command('users').description('manage users');
  addCreateCommand(users, commandProcess);
  addListCommand(users, commandProcess);
  for (const command of Object.entries(changeCommands)) addChangeCommand(users, commandProcess, command);
}
