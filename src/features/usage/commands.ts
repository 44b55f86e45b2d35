import type { Command } from 'commander';
import { findApplication } from '../../oauth/clients/application-details.js';
import { accountOption, findAccount, integerBetween, jsonOption } from '../../platform/cli/arguments.js';
import { CliError } from '../../platform/cli/cli-error.js';
import { type CommandContext, type CommandProcess, withContext } from '../../platform/cli/context.js';
import { print, printList, type Row } from '../../platform/cli/print.js';
import { utcDate } from '../../platform/clock.js';
import { storedFailures, storedRejections } from './unstored-usage.js';
import {
  lastDays,
  type RejectedRequest,
  rejectionRetentionDays,
  UsageReader,
  usageRetentionDays,
} from './usage-reader.js';

interface UsageOptions {
  readonly account: string;
  readonly days: number;
  readonly json?: boolean;
}

const usageColumns = ['day', 'operation', 'calls', 'errors', 'rate_limited', 'records'];
const failureColumns = ['hour', 'failures'];
const rejectionColumns = ['at', 'status', 'code', 'operation', 'user_id', 'request_id'];

/** `applications usage` */
export function addUsageCommand(applications: Command, commandProcess: CommandProcess): void {
  applications
    .command('usage')
    .description('show how an application uses the API')
    .argument('<client_id>', 'client_id of the application')
    .addOption(accountOption().makeOptionMandatory())
    .option('--days <n>', 'number of days, including today', integerBetween(1, usageRetentionDays), 30)
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Days are in UTC. errors are responses with a status of 400 or more except 429, which are rate_limited. records are the
employees, reports, report rows and users in responses. The second table has the last ${storedRejections} rejected requests of the last
${rejectionRetentionDays} days. The third one has requests with the client_id and a wrong or missing secret: the first ${storedFailures} of each
hour are stored, and the last ${storedFailures} of ${rejectionRetentionDays} days are listed. The fourth one has the number of all of them by hour.

Examples:
  npm run cli -- applications usage demobackend --account Acme
  npm run --silent cli -- applications usage demobackend --account Acme --days 7 --json`,
    )
    .action((clientId: string, options: UsageOptions) =>
      withContext(commandProcess, async (context) => {
        const { usage, rejections, failures, failuresByHour } = await read(context, clientId, options);
        if (options.json) {
          const document = {
            usage,
            rejected_requests: rejections,
            failed_authentications: failures,
            failed_authentications_by_hour: failuresByHour,
          };
          print(commandProcess, JSON.stringify(document, null, 2));
          return;
        }
        printList(commandProcess, usageColumns, usage, {});
        print(commandProcess, '');
        printList(commandProcess, rejectionColumns, rejections, {});
        print(commandProcess, '\nFailed client authentications');
        printList(commandProcess, rejectionColumns, failures, {});
        print(commandProcess, '');
        printList(commandProcess, failureColumns, failuresByHour, {});
      }),
    );
}

async function read(
  { database, accounts, clock }: CommandContext,
  clientId: string,
  { account, days }: UsageOptions,
): Promise<Readonly<Record<'usage' | 'rejections' | 'failures' | 'failuresByHour', Row[]>>> {
  const { id: accountId } = await findAccount(accounts, account);
  const application = await findApplication(database, accountId, clientId);
  if (application === null) {
    throw new CliError(`Unknown application ${clientId} in this account; see: applications list`);
  }
  const reader = new UsageReader(database);
  const usage = await reader.usageOf(accountId, application.id, {
    ...lastDays(clock(), days),
    per: 'day',
  });
  const rejections = await reader.rejectedRequestsOf(accountId, application.id);
  const failures = await reader.failedAuthenticationsOf(accountId, application.id);
  const failuresByHour = await reader.failuresByHour(
    accountId,
    application.id,
    lastDays(clock(), rejectionRetentionDays),
  );
  return {
    usage: usage.map(({ start, operation, calls, errors, rateLimited, records }) => {
      const day = utcDate(start);
      return { day, operation, calls, errors, rate_limited: rateLimited, records };
    }),
    rejections: rejections.map(requestRow),
    failures: failures.map(requestRow),
    failuresByHour: failuresByHour.map(({ hour, failures }) => ({ hour: hour.toISOString(), failures })),
  };
}

function requestRow({ at, status, code, operation, userId, requestId }: RejectedRequest): Row {
  return { at: at.toISOString(), status, code, operation, user_id: userId, request_id: requestId };
}
