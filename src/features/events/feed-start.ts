import type { AccountId } from '../../platform/accounts/account-id.js';
import { Prisma } from '../../platform/database/client.js';

/** Start of a reader: after a position, or with the first event that is not older than a time. */
export type FeedStart = { readonly after: bigint } | { readonly since: Date };

export type ResolvedStart =
  /** `after`: position before the first event; `end`: position of the last event of the feed. */
  | { readonly kind: 'found'; readonly after: bigint; readonly end: bigint }
  /** Events after the position are no longer kept. */
  | { readonly kind: 'expired' }
  /** The feed has not reached the position. */
  | { readonly kind: 'unknown' };

interface Row {
  readonly end: bigint;
  readonly position: bigint | null;
  readonly occurredAt: Date | null;
}

/**
 * Finds the position at which a reader starts. Positions have no gaps, so a missing event has been deleted because of its age.
 *
 * @param cutoff events before this time are no longer kept, whether or not they have been deleted
 */
export async function findStart(
  prisma: Pick<Prisma.TransactionClient, '$queryRaw'>,
  accountId: AccountId,
  { start, cutoff }: { start: FeedStart; cutoff: Date },
): Promise<ResolvedStart> {
  const next =
    'after' in start
      ? Prisma.sql`position > ${start.after} ORDER BY position`
      : Prisma.sql`occurred_at >= ${start.since > cutoff ? start.since : cutoff} ORDER BY occurred_at, position`;
  const [row] = await prisma.$queryRaw<Row[]>`
    SELECT totals.events AS end, next.position, next.occurred_at AS "occurredAt"
    FROM account_totals AS totals
    LEFT JOIN LATERAL (
      SELECT position, occurred_at FROM events WHERE events.account_id = totals.account_id AND ${next} LIMIT 1
    ) AS next ON true
    WHERE totals.account_id = ${accountId}`;
  if (row === undefined) return { kind: 'unknown' };
  const { end, position, occurredAt } = row;
  if (!('after' in start)) return { kind: 'found', after: position === null ? end : position - 1n, end };
  const { after } = start;
  if (after > end) return { kind: 'unknown' };
  const isKept =
    position === null || occurredAt === null
      ? after === end
      : position === after + 1n && occurredAt >= cutoff;
  return isKept ? { kind: 'found', after, end } : { kind: 'expired' };
}
