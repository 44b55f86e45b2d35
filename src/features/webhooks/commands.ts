import { type Command, Option } from 'commander';
import type { AccountId } from '../../platform/accounts/account-id.js';
import { accountOption, findAccount, jsonOption } from '../../platform/cli/arguments.js';
import { CliError } from '../../platform/cli/cli-error.js';
import { type CommandProcess, withContext } from '../../platform/cli/context.js';
import { print, printList, type Row, sanitizeForTerminal } from '../../platform/cli/print.js';
import type { Database } from '../../platform/database/client.js';
import { toWebhookEndpoint, type WebhookEndpoint } from './webhook-endpoint.js';
import type { ResumePoint } from './webhook-endpoints.js';
import { WebhookEndpoints } from './webhook-endpoints.js';
import { WebhookSecrets } from './webhook-secrets.js';

/** An endpoint and the application that it belongs to. */
interface AccountEndpoint extends WebhookEndpoint {
  readonly applicationId: string;
  readonly clientId: string;
}

/** The webhook endpoints of all applications of an account. */
class AccountEndpoints {
  readonly #prisma: Database['prisma'];

  constructor({ prisma }: Pick<Database, 'prisma'>) {
    this.#prisma = prisma;
  }

  /**
   * Reads endpoints in the order of their ids.
   *
   * @param options.after id of the endpoint before the first one
   */
  async list(
    accountId: AccountId,
    { after = '', size }: { after?: string; size: number },
  ): Promise<AccountEndpoint[]> {
    const rows = await this.#prisma.webhookEndpoint.findMany({
      where: { accountId, id: { gt: after } },
      orderBy: { id: 'asc' },
      take: size,
      include: { application: { select: { clientId: true } } },
    });
    return rows.map(toAccountEndpoint);
  }

  /** Reads the endpoint with this id; `null` if the account has none. */
  async find(accountId: AccountId, id: string): Promise<AccountEndpoint | null> {
    const row = await this.#prisma.webhookEndpoint.findFirst({
      where: { accountId, id },
      include: { application: { select: { clientId: true } } },
    });
    return row === null ? null : toAccountEndpoint(row);
  }
}

function toAccountEndpoint(
  row: Parameters<typeof toWebhookEndpoint>[0] & { application: { clientId: string } },
): AccountEndpoint {
  return {
    ...toWebhookEndpoint(row),
    applicationId: row.applicationId,
    clientId: row.application.clientId,
  };
}

const pageSize = 500;
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
        const account = await findAccount(accounts, options.account);
        printList(
          commandProcess,
          columns,
          await readRows(new AccountEndpoints(database), account.id),
          options,
        );
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

interface ResumeOptions {
  readonly account: string;
  readonly after?: string;
  readonly fromEnd?: true;
}

async function resume(commandProcess: CommandProcess, id: string, options: ResumeOptions): Promise<void> {
  await withContext(commandProcess, async ({ accounts, database, config, clock, appSecrets }) => {
    const account = await findAccount(accounts, options.account);
    const endpoint = await new AccountEndpoints(database).find(account.id, id);
    const unknown = new CliError(
      `${sanitizeForTerminal(account.name)} has no webhook endpoint with the id ${sanitizeForTerminal(id)}; see: webhooks list`,
    );
    if (endpoint === null) throw unknown;
    const context = { accountId: account.id, applicationId: endpoint.applicationId, at: clock() };
    const endpoints = new WebhookEndpoints(database, {
      ...{ secrets: new WebhookSecrets(await appSecrets()), allowLocal: false },
      eventRetentionDays: config.eventRetentionDays,
    });
    const resumed = await endpoints.resume(context, id, resumePoint(options));
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

function resumePoint({ after, fromEnd }: ResumeOptions): ResumePoint | undefined {
  if (fromEnd) return 'end';
  return after === undefined ? undefined : { after };
}

async function readRows(endpoints: AccountEndpoints, accountId: AccountId): Promise<Row[]> {
  const rows: Row[] = [];
  for (let after = ''; ; ) {
    const page = await endpoints.list(accountId, { after, size: pageSize });
    rows.push(...page.map(toRow));
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return rows;
    after = last.id;
  }
}

function toRow({
  id,
  clientId,
  url,
  lastEventId,
  pausedAt,
  failingSince,
  ...endpoint
}: AccountEndpoint): Row {
  const { origin, pathname } = new URL(url);
  const state = pausedAt !== null ? 'paused' : failingSince !== null ? 'retrying' : 'delivering';
  return {
    ...{ id, client_id: clientId, state, last_event_id: lastEventId },
    // The query may have a secret.
    url: `${origin}${pathname}`,
    since: (pausedAt ?? failingSince)?.toISOString() ?? null,
    reason: endpoint.pauseReason,
  };
}
