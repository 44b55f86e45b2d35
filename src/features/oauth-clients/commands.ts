import { type Command, InvalidArgumentError, Option } from 'commander';
import { findApplication } from '../../oauth/clients/application-details.js';
import type { AccountId } from '../../platform/accounts/account-id.js';
import { accountOption, findAccount, jsonOption } from '../../platform/cli/arguments.js';
import { CliError } from '../../platform/cli/cli-error.js';
import { type CommandProcess, withContext } from '../../platform/cli/context.js';
import { print, printList, type Row, sanitizeForTerminal } from '../../platform/cli/print.js';
import {
  isRestrictable,
  type RestrictableAttribute,
  restrictableAttributes,
} from '../../platform/contract/employee-attributes.js';
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
    .action((clientId: string, { account }: { account: string }) =>
      withApplication(commandProcess, { clientId, account }, async ({ applications, context, id, name }) => {
        const revoked = await applications.revokeAccess(context, id);
        return (
          revoked &&
          `Revoked all access of ${name}. Grants revoked: ${revoked.revokedGrants}. Webhook endpoints paused: ${revoked.pausedEndpoints}.`
        );
      }),
    );
}

/** `applications set-attributes` */
function addSetAttributesCommand(applications: Command, commandProcess: CommandProcess): void {
  applications
    .command('set-attributes')
    .description('choose the attributes of employees that an application may read')
    .argument('<client-id>', 'the client ID of the application')
    .addOption(accountOption().makeOptionMandatory())
    .addOption(
      new Option(
        '--attributes <names>',
        `names separated by commas: ${restrictableAttributes.join(', ')}; or all, or none`,
      )
        .argParser(parseAttributes)
        .makeOptionMandatory(),
    )
    .addHelpText(
      'after',
      `
The names replace those that were chosen before. Every application with access to employees can read their other attributes.
Running servers apply the choice with the next request; tokens stay valid.

Examples:
  npm run cli -- applications set-attributes qk4dz0rbe1 --account Initech --attributes job_title,hire_date
  npm run cli -- applications set-attributes qk4dz0rbe1 --account Initech --attributes none`,
    )
    .action(
      (
        clientId: string,
        { account, attributes }: { account: string; attributes: readonly RestrictableAttribute[] },
      ) =>
        withApplication(
          commandProcess,
          { clientId, account },
          async ({ applications, context, id, name }) => {
            const choice = { id, readableAttributes: attributes };
            const isSet = await applications.setReadableAttributes(context, choice);
            return isSet ? `Readable attributes of ${name}: ${attributes.join(', ') || 'none'}.` : null;
          },
        ),
    );
}

/** Parser for the names of attributes that an application can be without. It returns them in the order of the contract. */
function parseAttributes(value: string): readonly RestrictableAttribute[] {
  if (value === 'all') return restrictableAttributes;
  if (value === 'none') return [];
  const names = value.split(',').map((name) => name.trim());
  if (names.every(isRestrictable)) return restrictableAttributes.filter((name) => names.includes(name));
  throw new InvalidArgumentError(
    `Use all, none, or names separated by commas: ${restrictableAttributes.join(', ')}.`,
  );
}

interface Found {
  readonly applications: OAuthApplications;
  readonly context: { readonly accountId: AccountId; readonly at: Date };
  readonly id: string;
  /** For the terminal. */
  readonly name: string;
}

/** Prints the result of work on the application or installation that the arguments name; `null`: it was deleted meanwhile. */
async function withApplication(
  commandProcess: CommandProcess,
  { clientId, account: idOrName }: { readonly clientId: string; readonly account: string },
  work: (found: Found) => Promise<string | null>,
): Promise<void> {
  await withContext(commandProcess, async ({ database, accounts, clock }) => {
    const account = await findAccount(accounts, idOrName);
    const application = await findApplication(database, account.id, clientId);
    const context = { accountId: account.id, at: clock() };
    const result =
      application &&
      (await work({
        applications: new OAuthApplications(database),
        context,
        id: application.id,
        name: sanitizeForTerminal(application.name),
      }));
    if (result === null) {
      throw new CliError(
        `${sanitizeForTerminal(account.name)} has no application with the client ID ${sanitizeForTerminal(clientId)}; see: applications list`,
      );
    }
    print(commandProcess, result);
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
  'readable_attributes',
  'last_token_at',
];

/** `applications list`, `applications set-attributes` and `applications revoke-access` */
export function addApplicationCommands(program: Command, commandProcess: CommandProcess): Command {
  const applications = program.command('applications').description('manage OAuth applications');
  addRevokeAccessCommand(applications, commandProcess);
  addSetAttributesCommand(applications, commandProcess);
  applications
    .command('list')
    .description('list applications; secrets are never shown')
    .addOption(accountOption())
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
The kind is registered, published (other accounts can use it too), or installed (registered elsewhere, and approved by the
account). An installed application that is suspended must be approved again. The readable attributes are those of employees that
the application may read besides the ones that every application with access to employees can read.

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
        readable_attributes: application.readableAttributes,
        redirect_uris: redirectUris,
        connected_users: application.connectedUsers,
        created_at: application.createdAt.toISOString(),
        last_token_at: application.lastTokenAt?.toISOString() ?? null,
      });
    }
    if (applications.length < pageSize) return rows;
  }
}
