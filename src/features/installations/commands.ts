import type { Command } from 'commander';
import { findApplication } from '../../oauth/clients/application-details.js';
import { Publications, type PublishOutcome } from '../../oauth/clients/publications.js';
import { accountOption, findAccount } from '../../platform/cli/arguments.js';
import { CliError } from '../../platform/cli/cli-error.js';
import { type CommandProcess, withContext } from '../../platform/cli/context.js';
import { print, sanitizeForTerminal } from '../../platform/cli/print.js';

interface Target {
  readonly clientId: string;
  readonly account: string;
}

/** `applications publish` and `applications withdraw` */
export function addPublicationCommands(applications: Command, commandProcess: CommandProcess): void {
  applications
    .command('publish')
    .description('let other accounts use an application, after their administrators approve it')
    .argument('<client-id>', 'the client ID of the application')
    .addOption(accountOption().makeOptionMandatory())
    .addHelpText(
      'after',
      `
The application must have a redirect URI that starts with https://, and must not be in development. Accounts see its name, the
hosts of its redirect URIs and its scopes: check them first.

Examples:
  npm run cli -- applications publish qk4dz0rbe1 --account Initech`,
    )
    .action((clientId: string, { account }: { account: string }) =>
      publish(commandProcess, { clientId, account }),
    );
  applications
    .command('withdraw')
    .description('end the use of a published application in all other accounts; its own account keeps it')
    .argument('<client-id>', 'the client ID of the application')
    .addOption(accountOption().makeOptionMandatory())
    .addHelpText(
      'after',
      `
Running servers reject its tokens of other accounts immediately. Their grants and webhook endpoints are deleted. If it is published
again, each account must approve it again.

Examples:
  npm run cli -- applications withdraw qk4dz0rbe1 --account Initech`,
    )
    .action((clientId: string, { account }: { account: string }) =>
      withdraw(commandProcess, { clientId, account }),
    );
}

const obstacles: Readonly<
  Record<Exclude<PublishOutcome, 'published' | 'already_published' | 'not_found'>, string>
> = {
  in_development: 'is in development, so other accounts cannot use it; change that in its settings first',
  no_redirect_uri: 'has no redirect URI that starts with https://; add one in its settings first',
};

function publish(commandProcess: CommandProcess, target: Target): Promise<void> {
  return withApplication(commandProcess, target, async ({ publications, context, name, unknown }) => {
    const outcome = await publications.publish(context);
    switch (outcome) {
      case 'not_found':
        throw unknown;
      case 'published':
        return `Published ${name}. Other accounts can use it when their administrators approve it.`;
      case 'already_published':
        return `${name} is already published.`;
      default:
        throw new CliError(`${name} ${obstacles[outcome]}`);
    }
  });
}

function withdraw(commandProcess: CommandProcess, target: Target): Promise<void> {
  return withApplication(commandProcess, target, async ({ publications, context, name }) => {
    const accounts = await publications.withdraw(context);
    return accounts === null
      ? `${name} is not published.`
      : `Withdrew ${name}. Accounts that lose it: ${accounts}.`;
  });
}

interface Found {
  readonly publications: Publications;
  readonly context: Parameters<Publications['publish']>[0];
  /** For the terminal. */
  readonly name: string;
  readonly unknown: CliError;
}

/** Prints the result of work on the application that the arguments name. */
async function withApplication(
  commandProcess: CommandProcess,
  { clientId, account: idOrName }: Target,
  work: (found: Found) => Promise<string>,
): Promise<void> {
  await withContext(commandProcess, async ({ database, accounts, clock }) => {
    const account = await findAccount(accounts, idOrName);
    const application = await findApplication(database, account.id, clientId);
    const unknown = new CliError(
      `${sanitizeForTerminal(account.name)} has not registered an application with the client ID ${sanitizeForTerminal(clientId)}; see: applications list`,
    );
    if (application === null) throw unknown;
    const { id: applicationId, name } = application;
    const context = { accountId: account.id, applicationId, at: clock() };
    const publications = new Publications(database);
    print(commandProcess, await work({ publications, context, name: sanitizeForTerminal(name), unknown }));
  });
}
