import type { Command } from 'commander';
import { accountOption, findAccount } from '../../../platform/cli/arguments.js';
import { CliError } from '../../../platform/cli/cli-error.js';
import type { CommandProcess } from '../../../platform/cli/command-process.js';
import { withContext } from '../../../platform/cli/context.js';
import { harmless, print } from '../../../platform/cli/print.js';
import { OAuthApplications } from '../oauth-applications.js';

/** `applications revoke-access` */
export function addRevokeAccessCommand(applications: Command, commandProcess: CommandProcess): void {
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
    const applications = new OAuthApplications(database);
    const account = await findAccount(accounts, idOrName);
    const application = await applications.findByClientId(account.id, clientId);
    const context = { accountId: account.id, at: clock() };
    const revoked = application && (await applications.revokeAccess(context, application.id));
    if (revoked === null) {
      throw new CliError(
        `${harmless(account.name)} has no application with the client ID ${harmless(clientId)}; see: applications list`,
      );
    }
    print(
      commandProcess,
      `Revoked all access of ${harmless(application?.name ?? clientId)}. Grants revoked: ${revoked.revokedGrants}. Webhook endpoints paused: ${revoked.pausedEndpoints}.`,
    );
  });
}
