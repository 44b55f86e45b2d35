import type { AccountId } from '../../platform/accounts/account-id.js';
import { dayMilliseconds } from '../../platform/clock.js';
import { Prisma } from '../../platform/database/generated/client.js';
import { givenAttributes } from './employee-attributes.js';

/** A calendar date in UTC whose employees are read from the history. */
export interface AsOf {
  /** `YYYY-MM-DD`. */
  readonly date: string;
  /** The end of the date, which is the start of the next one. */
  readonly end: Date;
}

/** The dates for which the history of an account is complete. */
export interface HistoryDates {
  readonly oldest: string;
  /** Today in UTC. */
  readonly latest: string;
}

/** The last millisecond of a date. */
export function endOf({ end }: AsOf): Date {
  return new Date(end.getTime() - 1);
}

function dateOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}

/** Reads the dates for which the history of an account is complete, in the scope of the account. */
export async function readHistoryDates(
  prisma: Pick<Prisma.TransactionClient, '$queryRaw'>,
  accountId: AccountId,
  { now, retentionDays }: { readonly now: Date; readonly retentionDays: number },
): Promise<HistoryDates> {
  const [account] = await prisma.$queryRaw<{ since: Date }[]>`
    SELECT history_since AS since FROM accounts WHERE id = ${accountId}`;
  const cutoff = now.getTime() - retentionDays * dayMilliseconds;
  const since = Math.min(Math.max(account?.since.getTime() ?? cutoff, cutoff), now.getTime());
  return { oldest: dateOf(new Date(since)), latest: dateOf(now) };
}

/** The date as it is in a parameter; `null` if it is not one of the dates. */
export function parseAsOf(date: string, { oldest, latest }: HistoryDates): AsOf | null {
  const start = /^\d{4}-\d{2}-\d{2}$/.test(date) ? Date.parse(date) : Number.NaN;
  if (Number.isNaN(start) || dateOf(new Date(start)) !== date || date < oldest || date > latest) return null;
  return { date, end: new Date(start + dayMilliseconds) };
}

/** The columns of the history besides those that identify an employee. */
const columns = [
  ...givenAttributes.map(({ name, type }) => ({ name, type: type === 'text' ? 'text COLLATE "C"' : type })),
  { name: 'updated_at', type: 'timestamptz' },
  { name: 'attribute_times', type: 'jsonb' },
  { name: 'custom', type: 'jsonb' },
  { name: 'custom_times', type: 'jsonb' },
  { name: 'custom_updated_at', type: 'timestamptz' },
];
const names = Prisma.raw(columns.map(({ name }) => name).join(', '));
const record = Prisma.raw(columns.map(({ name, type }) => `${name} ${type}`).join(', '));

/**
 * The employees of an account as they were at a time, instead of the table `employees`: the values before the first later change of
 * each, without employees who were added later. Deleted employees are not in the history. It reads all employees of the account,
 * and all of its later events.
 */
export function employeesAsOf(accountId: AccountId, time: Date): Prisma.Sql {
  return Prisma.sql`(
    WITH later AS MATERIALIZED (
      SELECT resource_id, min(position) AS position FROM events
      WHERE account_id = ${accountId} AND occurred_at >= ${time.toISOString()}::timestamptz
        AND type IN ('employee.created', 'employee.updated')
      GROUP BY resource_id
    )
    SELECT account_id, id, position, ${names} FROM employees AS stored
    WHERE account_id = ${accountId} AND NOT EXISTS (SELECT FROM later WHERE later.resource_id = stored.id)
    UNION ALL
    SELECT stored.account_id, stored.id, stored.position, earlier.* FROM later
    JOIN events AS change ON change.account_id = ${accountId} AND change.position = later.position
      AND change.type = 'employee.updated'
    JOIN employees AS stored ON stored.account_id = ${accountId} AND stored.id = later.resource_id
    CROSS JOIN jsonb_to_record((change.attributes::jsonb - change.changed) || change.previous::jsonb)
      AS earlier (${record})
  ) AS employees`;
}
