import { type Command, Option } from 'commander';
import type { AccountId } from '../../platform/accounts/account-id.js';
import { accountOption, findAccount, jsonOption } from '../../platform/cli/arguments.js';
import { CliError } from '../../platform/cli/cli-error.js';
import { type CommandProcess, withContext } from '../../platform/cli/context.js';
import { print, printList, type Row, sanitizeForTerminal } from '../../platform/cli/print.js';
import type { Database } from '../../platform/database/client.js';
import { EndpointPauses } from './endpoint-pauses.js';
import { stateOf, toWebhookEndpoint, withoutQuery } from './webhook-endpoint.js';

const columns = ['id', 'client_id', 'url', 'state', 'since', 'reason', 'last_event_id'];

/** `webhooks list` and `webhooks resume` */
export function addWebhookCommands(program: Command, commandProcess: CommandProcess): void {
  const webhooks = program.command('webhooks').description('manage webhook endpoints');
  webhooks
    .command('list')
    .description('list the endpoints of an account with their states; secrets are never shown')
    .addOption(accountOption().makeOptionMandatory())
    .addOption(jsonOption())
    .addHelpText('after', '\nExamples:\n  npm run cli -- webhooks list --account Initech')
    .action((options: { account: string; json?: boolean }) =>
      withContext(commandProcess, async ({ database, accounts }) => {
        const { id } = await findAccount(accounts, options.account);
        printList(commandProcess, columns, await readRows(database, id), options);
      }),
    );
  webhooks
    .command('resume')
    .description('resume an endpoint that is paused or failing')
    .argument('<id>', 'the id of the endpoint; see: webhooks list')
    .addOption(accountOption().makeOptionMandatory())
    .addOption(
      new Option('--after <cursor>', 'continue after this event, which skips events or sends them again'),
    )
    .addOption(new Option('--from-end', 'skip all events so far').conflicts('after'))
    .addHelpText(
      'after',
      `
Without --after and --from-end the endpoint resumes where it stopped.

Examples:
  npm run cli -- webhooks resume ct4w90qkd1 --account Initech
  npm run cli -- webhooks resume ct4w90qkd1 --account Initech --from-end`,
    )
    .action((id: string, options: ResumeOptions) => resume(commandProcess, id, options));
}

/** The webhook endpoints of all applications of an account, in the order of their ids. */
async function readRows({ prisma }: Database, accountId: AccountId): Promise<Row[]> {
  const rows = await prisma.webhookEndpoint.findMany({
    where: { accountId },
    orderBy: { id: 'asc' },
    include: { application: { select: { clientId: true, installedClientId: true } } },
  });
  return rows.map(({ application, ...row }) => {
    const endpoint = toWebhookEndpoint(row);
    const { id, url, pausedAt, failingSince, pauseReason, lastEventId } = endpoint;
    return {
      id,
      client_id: application.installedClientId ?? application.clientId,
      url: withoutQuery(url),
      state: stateOf(endpoint),
      since: (pausedAt ?? failingSince)?.toISOString() ?? null,
      reason: pauseReason,
      last_event_id: lastEventId,
    };
  });
}

interface ResumeOptions {
  readonly account: string;
  readonly after?: string;
  readonly fromEnd?: true;
}

async function resume(
  commandProcess: CommandProcess,
  id: string,
  { account, after, fromEnd }: ResumeOptions,
): Promise<void> {
  await withContext(commandProcess, async ({ accounts, database, config, clock }) => {
    const { id: accountId, name } = await findAccount(accounts, account);
    const endpoint = await database.prisma.webhookEndpoint.findFirst({ where: { accountId, id } });
    const unknown = new CliError(
      `${sanitizeForTerminal(name)} has no webhook endpoint with the id ${sanitizeForTerminal(id)}; see: webhooks list`,
    );
    if (endpoint === null) throw unknown;
    const context = { accountId, applicationId: endpoint.applicationId, at: clock() };
    const from = fromEnd ? 'end' : after === undefined ? undefined : { after };
    const resumed = await new EndpointPauses(database, config).resume(context, id, from);
    switch (resumed.kind) {
      case 'not_found':
        throw unknown;
      case 'invalid_cursor':
        throw new CliError('--after must be the id of an event of this account; see: events tail');
      case 'expired':
        throw new CliError(
          'The next events are no longer kept; add --from-end, or --after with a later event',
        );
      case 'resumed':
        print(
          commandProcess,
          `Resumed after ${resumed.endpoint.lastEventId}. A server sends the events after it.`,
        );
    }
  });
}
