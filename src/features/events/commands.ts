import { setTimeout as wait } from 'node:timers/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { AccountId } from '../../platform/accounts/account-id.js';
import { accountOption, findAccount } from '../../platform/cli/arguments.js';
import { CliError, exitCodes } from '../../platform/cli/cli-error.js';
import { type CommandProcess, withContext } from '../../platform/cli/context.js';
import { interruptible } from '../../platform/cli/interruption.js';
import { print } from '../../platform/cli/print.js';
import { fullAccess } from '../../platform/contract/attribute-access.js';
import { sentence, violation } from '../../platform/problems/rule-texts.js';
import { EventFeed, type FeedRequest } from './event-feed.js';
import { eventPosition } from './event-list.js';

const pageSize = 200;
const pollMilliseconds = 1_000;

interface TailOptions {
  readonly account: string;
  readonly type?: readonly string[];
  readonly since?: Date;
  readonly after?: string;
  /** Whether the command waits for new events. */
  readonly follow: boolean;
}

/** `events tail` */
export function addEventCommands(program: Command, commandProcess: CommandProcess): void {
  const events = program.command('events').description('read the feed of events');
  events
    .command('tail')
    .description('print new events of an account as JSON Lines, oldest first, until it is interrupted')
    .addOption(accountOption().makeOptionMandatory())
    .addOption(new Option('--type <types...>', 'only events of these types, such as employee.deleted'))
    .addOption(
      new Option('--since <time>', 'start with the events of this time (default: now)').argParser(time),
    )
    .addOption(new Option('--after <cursor>', 'start after this event').conflicts('since'))
    .addOption(new Option('--no-follow', 'exit after the last event'))
    .addHelpText(
      'after',
      `
Examples:
  npm run --silent cli -- events tail --account Initech
  npm run --silent cli -- events tail --account Initech --since 2026-11-01T00:00:00Z --no-follow`,
    )
    .action((options: TailOptions) =>
      withContext(commandProcess, async ({ database, config, accounts, clock }) => {
        const { id } = await findAccount(accounts, options.account);
        const start = startOf(id, options, clock());
        const feed = new EventFeed(database, { clock, retentionDays: config.eventRetentionDays });
        await interruptible((signal) => tail(commandProcess, feed, { id, start, options, signal }));
      }),
    );
}

function time(text: string): Date {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) throw new InvalidArgumentError(sentence('It', violation('time')));
  return date;
}

function startOf(accountId: AccountId, { since, after }: TailOptions, now: Date): FeedRequest['start'] {
  if (after === undefined) return { since: since ?? now };
  const position = eventPosition(accountId, after);
  if (position === null) throw unknownCursor();
  return { after: position };
}

async function tail(
  commandProcess: CommandProcess,
  feed: EventFeed,
  {
    id,
    start: first,
    options: { type, follow },
    signal,
  }: { id: AccountId; start: FeedRequest['start']; options: TailOptions; signal: AbortSignal },
): Promise<void> {
  let start = first;
  while (!signal.aborted) {
    const page = await feed.page(id, {
      start,
      size: pageSize,
      types: type ?? null,
      access: fullAccess,
    });
    if (page.kind === 'not_found') throw unknownCursor();
    if (page.kind === 'expired')
      throw new CliError('The events after --after are no longer kept; use --since');
    for (const event of page.events) print(commandProcess, event);
    start = { after: page.position };
    if (page.hasMore) continue;
    if (!follow) return;
    await wait(pollMilliseconds, undefined, { signal }).catch(() => {});
  }
  commandProcess.exitCode = exitCodes.interrupted;
}

function unknownCursor(): CliError {
  return new CliError('--after must be the id of an event of this account');
}
