import type { Command } from 'commander';
import type { Database } from '../../../database/client.js';
import type { AccountId } from '../../../services/account-id.js';
import { listUsers } from '../../../services/read-users.js';
import { accountOption, findAccount, jsonOption } from '../../arguments.js';
import { withContext } from '../../context.js';
import { printList, type Row } from '../../list.js';
import type { Surroundings } from '../../surroundings.js';

const pageSize = 500;

/** `users list` */
export function addListCommand(users: Command, surroundings: Surroundings): void {
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
      withContext(surroundings, async ({ database }) => {
        const { id: accountId } = await findAccount(database, options.account);
        const rows = await readRows(database, accountId);
        printList(surroundings, ['id', 'email', 'role', 'state', 'created_at'], rows, options);
      }),
    );
}

async function readRows(database: Database, accountId: AccountId): Promise<Row[]> {
  const rows: Row[] = [];
  for (let after = ''; ; ) {
    const users = await listUsers(database, accountId, { after, size: pageSize });
    for (const { id, email, role, disabledAt, createdAt } of users) {
      const state = disabledAt === null ? 'enabled' : 'disabled';
      rows.push({ id, email, role, state, created_at: createdAt.toISOString() });
      after = email;
    }
    if (users.length < pageSize) return rows;
  }
}
