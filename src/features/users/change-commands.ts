import { Argument, type Command } from 'commander';
import { type Role, roles } from '../../platform/accounts/user.js';
import { emailRule } from '../../platform/accounts/user-rules.js';
import type { AuditContext } from '../../platform/audit/audit-log.js';
import { checkedBy } from '../../platform/cli/arguments.js';
import { CliError } from '../../platform/cli/cli-error.js';
import { type CommandProcess, withContext } from '../../platform/cli/context.js';
import { readNewPassword } from '../../platform/cli/password.js';
import { print, sanitizeForTerminal } from '../../platform/cli/print.js';
import { ruleText } from '../../platform/problems/rule-texts.js';
import {
  type EmailChange,
  type PasswordChange,
  UserAdministration,
  type UserChange,
} from './user-administration.js';

/** Name and description of the user argument. */
const userArgument = ['<user>', 'e-mail address or id of the user'] as const;

interface Change {
  readonly make: (
    users: UserAdministration,
    context: AuditContext,
    userId: string,
  ) => Promise<UserChange | PasswordChange | EmailChange>;
  /** Predicate of a sentence about the user. */
  readonly changed: string;
  /** Predicate of a sentence about the user; absent if every run changes the user. */
  readonly unchanged?: string;
}

/**
 * Changes one user of any account and prints the result.
 *
 * @param prepare creates the change after the user is found
 * @throws {CliError} when the user is unknown, or the change is rejected
 */
async function changeUser(
  commandProcess: CommandProcess,
  emailOrId: string,
  prepare: () => Change | Promise<Change>,
): Promise<void> {
  await withContext(commandProcess, async ({ database, users, securityEmails, clock }) => {
    const user = await users.find(emailOrId);
    if (user === null) throw unknownUser(emailOrId);
    const { make, changed, unchanged = 'is unchanged' } = await prepare();
    const context = { accountId: user.accountId, at: clock() };
    const outcome = await make(new UserAdministration(database, securityEmails), context, user.id);
    switch (outcome.kind) {
      case 'changed':
        print(commandProcess, `User ${sanitizeForTerminal(user.email)} ${changed}.${consequences(outcome)}`);
        return;
      case 'unchanged':
        print(commandProcess, `User ${sanitizeForTerminal(user.email)} ${unchanged}; nothing was changed.`);
        return;
      // The command line has no acting user, so every change is permitted.
      case 'forbidden':
      case 'not_found':
        throw unknownUser(emailOrId);
      case 'last_owner':
        throw new CliError(
          `User ${sanitizeForTerminal(user.email)} is the last enabled owner of ${sanitizeForTerminal(user.accountName)}; make another user an owner first`,
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

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** `users set-email` */
export function addEmailCommand(users: Command, commandProcess: CommandProcess): void {
  users
    .command('set-email')
    .description('change the e-mail address that a user signs in with')
    .argument(...userArgument)
    .addArgument(new Argument('<address>', 'the new e-mail address').argParser(checkedBy(emailRule)))
    .addHelpText(
      'after',
      `
Users change their address under My account when the server sends mail.

Examples:
  npm run cli -- users set-email milton@initech.example milton.waddams@initech.example`,
    )
    .action((user: string, address: string) =>
      changeUser(commandProcess, user, () => ({
        make: (service, context, id) => service.setEmail(context, id, address),
        changed: `now signs in with ${sanitizeForTerminal(address)}`,
        unchanged: `already signs in with ${sanitizeForTerminal(address)}`,
      })),
    );
}

/** `users set-password` */
export function addPasswordCommand(users: Command, commandProcess: CommandProcess): void {
  users
    .command('set-password')
    .description('set a new password for a user and revoke the sessions of the user')
    .argument(...userArgument)
    .addHelpText(
      'after',
      `
The password is prompted for, or read from standard input: one line with at least 12 characters.

Examples:
  npm run cli -- users set-password milton@initech.example
  npm run cli -- users set-password milton@initech.example < password.txt`,
    )
    .action((user: string) =>
      changeUser(commandProcess, user, async () => {
        const password = await readNewPassword(commandProcess);
        return {
          make: (service, context, id) => service.setPassword(context, id, password),
          changed: 'has a new password',
        };
      }),
    );
}

/** `users set-role` */
export function addRoleCommand(users: Command, commandProcess: CommandProcess): void {
  users
    .command('set-role')
    .description('change the role of a user and revoke grants that the new role does not permit')
    .argument(...userArgument)
    .addArgument(new Argument('<role>', 'the new role').choices(roles))
    .addHelpText(
      'after',
      `
The last enabled owner of an account stays an owner.

Examples:
  npm run cli -- users set-role milton@initech.example admin`,
    )
    .action((user: string, role: Role) =>
      changeUser(commandProcess, user, () => ({
        make: (service, context, id) => service.setRole(context, id, role),
        changed: `now has the role ${role}`,
        unchanged: `already has the role ${role}`,
      })),
    );
}

/** `users disable`, `users enable`, `users revoke-sessions` and `users remove-second-factors` */
export function addStateCommands(users: Command, commandProcess: CommandProcess): void {
  users
    .command('disable')
    .description('prevent a user from signing in and revoke the sessions and grants of the user')
    .argument(...userArgument)
    .addHelpText('after', exampleOf('disable'))
    .action((user: string) =>
      changeUser(commandProcess, user, () => ({
        make: (service, context, id) => service.disable(context, id),
        changed: 'was disabled',
        unchanged: 'is already disabled',
      })),
    );
  users
    .command('enable')
    .description('allow a disabled user to sign in again; sessions and grants are not restored')
    .argument(...userArgument)
    .addHelpText('after', exampleOf('enable'))
    .action((user: string) =>
      changeUser(commandProcess, user, () => ({
        make: (service, context, id) => service.enable(context, id),
        changed: 'was enabled',
        unchanged: 'is already enabled',
      })),
    );
  users
    .command('revoke-sessions')
    .description('sign a user out of all browsers')
    .argument(...userArgument)
    .addHelpText('after', exampleOf('revoke-sessions'))
    .action((user: string) =>
      changeUser(commandProcess, user, () => ({
        make: (service, context, id) => service.revokeSessions(context, id),
        changed: 'was signed out',
        unchanged: 'has no sessions',
      })),
    );
  users
    .command('remove-second-factors')
    .description('remove the authenticator app, passkeys and recovery codes of a user, who is signed out')
    .argument(...userArgument)
    .addHelpText('after', exampleOf('remove-second-factors'))
    .action((user: string) =>
      changeUser(commandProcess, user, () => ({
        make: (service, context, id) => service.removeSecondFactors(context, id),
        changed: 'no longer has a second factor',
        unchanged: 'has no second factor',
      })),
    );
}

function exampleOf(command: string): string {
  return `\nExamples:\n  npm run cli -- users ${command} milton@initech.example`;
}
