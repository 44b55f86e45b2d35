import type { Command } from 'commander';
import type { AccountId } from '../../platform/accounts/account-id.js';
import { accountOption, findAccount, jsonOption } from '../../platform/cli/arguments.js';
import type { CommandProcess } from '../../platform/cli/command-process.js';
import { withContext } from '../../platform/cli/context.js';
import { printList, type Row } from '../../platform/cli/print-list.js';
import { addUsageCommand } from '../usage/index.js';
import { addRevokeAccessCommand } from './command/revoke-access.js';
import { OAuthApplications } from './oauth-applications.js';

const pageSize = 500;
const columns = ['id', 'client_id', 'name', 'client_type', 'scopes', 'last_token_at'];

/** `applications list`, `applications usage` and `applications revoke-access` */
export function addApplicationCommands(program: Command, commandProcess: CommandProcess): void {
  const applications = program.command('applications').description('manage OAuth applications');
  addRevokeAccessCommand(applications, commandProcess);
  applications
    .command('list')
    .description('list applications; secrets are never shown')
    .addOption(accountOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  npm run cli -- applications list
  npm run --silent cli -- applications list --account Initech --json`,
    )
    .action((options: { account?: string; json?: boolean }) =>
      withContext(commandProcess, async ({ database, accounts: allAccounts, clock }) => {
        const accounts =
          options.account === undefined
            ? await allAccounts.list()
            : [await findAccount(allAccounts, options.account)];
        const rows: Row[] = [];
        for (const account of accounts)
          rows.push(...(await readRows(new OAuthApplications(database), account, clock())));
        printList(commandProcess, ['account', ...columns], rows, options);
      }),
    );
  addUsageCommand(applications, commandProcess);
}

async function readRows(
  service: OAuthApplications,
  { id: accountId, name: account }: { id: AccountId; name: string },
  now: Date,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let skip = 0; ; skip += pageSize) {
    const { applications } = await service.list(accountId, { skip, size: pageSize, now });
    for (const { id, clientId, name, clientType, scopes, redirectUris, ...application } of applications) {
      rows.push({
        account,
        account_id: accountId,
        id,
        client_id: clientId,
        name,
        client_type: clientType,
        scopes,
        redirect_uris: redirectUris,
        connected_users: application.connectedUsers,
        created_at: application.createdAt.toISOString(),
        last_token_at: application.lastTokenAt?.toISOString() ?? null,
      });
    }
    if (applications.length < pageSize) return rows;
  }
}
