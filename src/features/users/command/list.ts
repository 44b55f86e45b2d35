import type { Command } from 'commander';
import type { AccountId } from '../../../platform/accounts/account-id.js';
import type { Users } from '../../../platform/accounts/users.js';
import { accountOption, findAccount, jsonOption } from '../../../platform/cli/arguments.js';
import type { CommandProcess } from '../../../platform/cli/command-process.js';
import { withContext } from '../../../platform/cli/context.js';
import { printList, type Row } from '../../../platform/cli/print-list.js';

const pageSize = 500;

/** `users list` */
export function addListCommand(users: Command, commandProcess: CommandProcess): void {
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
