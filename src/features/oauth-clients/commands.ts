import type { Command } from 'commander';
import { findApplication } from '../../oauth/clients/application-details.js';
import type { AccountId } from '../../platform/accounts/account-id.js';
import { accountOption, findAccount, jsonOption } from '../../platform/cli/arguments.js';
import { CliError } from '../../platform/cli/cli-error.js';
import { type CommandProcess, withContext } from '../../platform/cli/context.js';
import { print, printList, type Row, sanitizeForTerminal } from '../../platform/cli/print.js';
import { OAuthApplications } from './oauth-applications.js';

/** `applications revoke-access` */
function addRevokeAccessCommand(applications: Command, commandProcess: CommandProcess): void {
  applications
    .command('revoke-access')
    .description(
      'revoke all grants and tokens of an application and pause its webhook endpoints; its secrets and settings are kept',
    )
    .argument('<client-id>', 'the client ID of the application')
    .addOption(accountOption().makeOptionMandatory())
    .addHelpText(
      'after',
      `
Running servers reject the tokens immediately. The application can get new tokens and resume its webhook endpoints: if a
secret may have leaked, replace it first.

Examples:
  npm run cli -- applications revoke-access qk4dz0rbe1 --account Initech`,
    )
    .action((clientId: string, { account }: { account: string }) => run(commandProcess, clientId, account));
}

async function run(commandProcess: CommandProcess, clientId: string, idOrName: string): Promise<void> {
  await withContext(commandProcess, async ({ database, accounts, clock }) => {
    const account = await findAccount(accounts, idOrName);
    const application = await findApplication(database, account.id, clientId);
    const context = { accountId: account.id, at: clock() };
    const revoked =
      application && (await new OAuthApplications(database).revokeAccess(context, application.id));
    if (revoked === null) {
      throw new CliError(
        `${sanitizeForTerminal(account.name)} has no application with the client ID ${sanitizeForTerminal(clientId)}; see: applications list`,
      );
    }
    print(
      commandProcess,
      `Revoked all access of ${sanitizeForTerminal(application?.name ?? clientId)}. Grants revoked: ${revoked.revokedGrants}. Webhook endpoints paused: ${revoked.pausedEndpoints}.`,
    );
  });
}

const pageSize = 500;
const columns = [
  'id',
  'client_id',
  'name',
  'kind',
  'client_type',
  'in_development',
  'suspended_at',
  'scopes',
  'last_token_at',
];

/** `applications list`, `applications usage` and `applications revoke-access` */
export function addApplicationCommands(program: Command, commandProcess: CommandProcess): Command {
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
The kind is registered, published (other accounts can use it too), or installed (registered elsewhere, and approved by the
account). An installed application that is suspended must be approved again.

Examples:
  npm run cli -- applications list
  npm run --silent cli -- applications list --account Initech --json`,
    )
    .action((options: { account?: string; json?: boolean }) =>
      withContext(commandProcess, async ({ database, accounts, clock }) => {
        const listed =
          options.account === undefined
            ? await accounts.list()
            : [await findAccount(accounts, options.account)];
        const service = new OAuthApplications(database);
        const rows: Row[] = [];
        for (const account of listed) rows.push(...(await readRows(service, account, clock())));
        printList(commandProcess, ['account', ...columns], rows, options);
      }),
    );
  return applications;
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
        kind: application.isInstallation ? 'installed' : application.isPublished ? 'published' : 'registered',
        client_type: clientType,
        in_development: application.inDevelopment,
        suspended_at: application.suspendedAt?.toISOString() ?? null,
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
