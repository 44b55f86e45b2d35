import { type Command, Option } from 'commander';
import { findApplication } from '../../oauth/clients/application-details.js';
import type { AccountId } from '../../platform/accounts/account-id.js';
import { accountOption, findAccount, jsonOption } from '../../platform/cli/arguments.js';
import { CliError, exitCodes } from '../../platform/cli/cli-error.js';
import { type CommandProcess, withContext } from '../../platform/cli/context.js';
import { print, printList, type Row, sanitizeForTerminal } from '../../platform/cli/print.js';
import { inContractOrder, restrictableAttributes } from '../../platform/contract/employee-attributes.js';
import {
  type CustomAttribute,
  choosableAttributes,
  readCustomAttributes,
  shownChoice,
} from '../employees/index.js';
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
        `names separated by commas: ${restrictableAttributes.join(', ')}, and custom attributes of the account such as custom.salary; or all, or none`,
      ).makeOptionMandatory(),
    )
    .addHelpText(
      'after',
      `
The names replace those that were chosen before. Every application with access to employees can read their other attributes.
Running servers apply the choice with the next request; tokens stay valid.

all stands for all attributes that exist now, with custom attributes and sensitive ones. Attributes that are added later are not
included. A choice of archived custom attributes is kept, and applies again when they are restored; none removes it too.

Examples:
  npm run cli -- applications set-attributes qk4dz0rbe1 --account Initech --attributes job_title,hire_date
  npm run cli -- applications set-attributes qk4dz0rbe1 --account Initech --attributes hire_date,custom.salary
  npm run cli -- applications set-attributes qk4dz0rbe1 --account Initech --attributes none`,
    )
    .action((clientId: string, { account, attributes }: { account: string; attributes: string }) =>
      withApplication(
        commandProcess,
        { clientId, account },
        async ({ applications, context, custom, id, name }) => {
          const choice = parseAttributes(attributes, custom);
          const isSet = await applications.setReadableAttributes(context, { id, ...choice });
          const names = choice.readableAttributes.join(', ') || 'none';
          return isSet ? `Readable attributes of ${name}: ${names}.` : null;
        },
      ),
    );
}

/**
 * The choice that names of attributes separated by commas stand for, or `all`, or `none`.
 *
 * @throws {CliError} when the account cannot choose one of the names
 */
function parseAttributes(
  value: string,
  custom: readonly CustomAttribute[],
): { readonly readableAttributes: readonly string[]; readonly kept: readonly string[] } {
  if (value === 'none') return { readableAttributes: [], kept: [] };
  const known = choosableAttributes(custom);
  const names = value === 'all' ? known : value.split(',').map((name) => name.trim());
  if (names.every((name) => known.includes(name))) {
    const kept = custom.filter(({ archivedAt }) => archivedAt !== null).map((attribute) => attribute.name);
    return { readableAttributes: inContractOrder(names), kept };
  }
  throw new CliError(
    `error: option '--attributes <names>' argument '${sanitizeForTerminal(value)}' is invalid. Use all, none, or names separated by commas: ${known.join(', ')}.`,
    exitCodes.usage,
  );
}

interface Found {
  readonly applications: OAuthApplications;
  readonly context: { readonly accountId: AccountId; readonly at: Date };
  /** All custom attributes of the account. */
  readonly custom: readonly CustomAttribute[];
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
        custom: await readCustomAttributes(database.prisma, account.id),
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
the application may read besides the ones that every application with access to employees can read. Archived custom attributes
are not shown.

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
        for (const account of listed) {
          const custom = await readCustomAttributes(database.prisma, account.id);
          rows.push(...(await readRows(service, { account, custom, now: clock() })));
        }
        printList(commandProcess, ['account', ...columns], rows, options);
      }),
    );
  return applications;
}

async function readRows(
  service: OAuthApplications,
  {
    account: { id: accountId, name: account },
    custom,
    now,
  }: { account: { id: AccountId; name: string }; custom: readonly CustomAttribute[]; now: Date },
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
        readable_attributes: shownChoice(application.readableAttributes, custom),
        redirect_uris: redirectUris,
        connected_users: application.connectedUsers,
        created_at: application.createdAt.toISOString(),
        last_token_at: application.lastTokenAt?.toISOString() ?? null,
      });
    }
    if (applications.length < pageSize) return rows;
  }
}
