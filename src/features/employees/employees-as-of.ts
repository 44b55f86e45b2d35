import type { AccountId } from '../../platform/accounts/account-id.js';
import { dayMilliseconds } from '../../platform/clock.js';
import { isDateText } from '../../platform/contract/outside-text.js';
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

/** The date as it is in a parameter; `null` if it is not one of the dates. */
export function parseAsOf(date: string, { oldest, latest }: HistoryDates): AsOf | null {
  if (!isDateText(date) || date < oldest || date > latest) return null;
  return { date, end: new Date(Date.parse(date) + dayMilliseconds) };
}

/** An expression for a column before a change: that of the table if there was no change. */
function before(column: string, { type, earlier }: { type: string; earlier: string }): string {
  const stored = (value: string) => {
    const json = `change.${value} ->> '${column}'`;
    if (type === 'text') return `(${json}) COLLATE "C"`;
    // Without values of custom attributes, the object before a change is empty.
    return type === 'jsonb' ? `nullif((${json})::jsonb, '{}')` : `(${json})::${type}`;
  };
  return `CASE WHEN change.position IS NULL THEN stored.${column}
    WHEN ${earlier} THEN ${stored('previous')} ELSE ${stored('attributes')} END AS ${column}`;
}

const columns = Prisma.raw(
  [
    ...givenAttributes.map(({ name, type }) =>
      before(name, { type, earlier: `'${name}' = ANY (change.changed)` }),
    ),
    before('custom', { type: 'jsonb', earlier: `change.previous -> 'custom' IS NOT NULL` }),
    ...['updated_at', 'custom_updated_at'].map((name) =>
      before(name, { type: 'timestamptz', earlier: 'true' }),
    ),
    ...['attribute_times', 'custom_times'].map((name) => before(name, { type: 'jsonb', earlier: 'true' })),
  ].join(', '),
);

/**
 * The employees of an account as they were at a time, instead of the table `employees`: the values before the first later change of
 * each, without employees who were added later. Deleted employees are not in the history. It reads all employees of the account,
 * and all of its later events.
 */
export function employeesAsOf(accountId: AccountId, time: Date): Prisma.Sql {
  return Prisma.sql`(
    SELECT stored.account_id, stored.id, stored.position, ${columns}
    FROM employees AS stored
    LEFT JOIN (
      SELECT DISTINCT ON (resource_id) * FROM events
      WHERE account_id = ${accountId} AND occurred_at >= ${time.toISOString()}::timestamptz
        AND type IN ('employee.created', 'employee.updated')
      ORDER BY resource_id, position
    ) AS change ON change.account_id = stored.account_id AND change.resource_id = stored.id
    WHERE stored.account_id = ${accountId} AND change.type IS DISTINCT FROM 'employee.created'
  ) AS employees`;
}
