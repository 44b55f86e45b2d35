import type { AccountId } from '../../platform/accounts/account-id.js';
import { type Clock, dayMilliseconds } from '../../platform/clock.js';
import { type Database, Prisma } from '../../platform/database/client.js';
import { type EventDocument, toEventDocument } from './event-document.js';
import { type EventRow, eventSelection } from './event-statements.js';

/** Start of a reader: after a position, or with the first event that is not older than a time. */
type FeedStart = { readonly after: bigint } | { readonly since: Date };

type ResolvedStart =
  /** `after`: position before the first event; `end`: position of the last event of the feed. */
  | { readonly kind: 'found'; readonly after: bigint; readonly end: bigint }
  /** Events after the position are no longer kept. */
  | { readonly kind: 'expired' }
  /** The feed has not reached the position. */
  | { readonly kind: 'not_found' };

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
  if (row === undefined) return { kind: 'not_found' };
  const { end, position, occurredAt } = row;
  if (!('after' in start)) return { kind: 'found', after: position === null ? end : position - 1n, end };
  const { after } = start;
  if (after > end) return { kind: 'not_found' };
  const isKept =
    position === null || occurredAt === null
      ? after === end
      : position === after + 1n && occurredAt >= cutoff;
  return isKept ? { kind: 'found', after, end } : { kind: 'expired' };
}

/**
 * Maximum number of positions that one page reads, because events of other types are skipped. A page of rare events may be
 * empty although more follow.
 */
const maximumScanned = 10_000n;

export interface FeedRequest {
  readonly start: FeedStart;
  readonly size: number;
  /** Types of the events; empty: all. */
  readonly types: readonly string[];
}

/** Events in the order of the feed. */
interface FeedPage {
  readonly events: readonly EventDocument[];
  /** Position of the last event that was read or skipped. */
  readonly position: bigint;
  readonly hasMore: boolean;
}

type FeedOutcome =
  | ({ readonly kind: 'page' } & FeedPage)
  | { readonly kind: 'expired' }
  | { readonly kind: 'not_found' };

type FoundEvent =
  | { readonly kind: 'found'; readonly event: EventDocument }
  | { readonly kind: 'expired' }
  | { readonly kind: 'not_found' };

/** The feeds of accounts. They are read on the primary, where a position is never ahead of the events. */
export class EventFeed {
  readonly #prisma: Database['prisma'];
  readonly #clock: Clock;
  readonly #retentionDays: number;

  /** @param options.retentionDays days after which events are no longer shown */
  constructor({ prisma }: Database, { clock, retentionDays }: { clock: Clock; retentionDays: number }) {
    this.#prisma = prisma;
    this.#clock = clock;
    this.#retentionDays = retentionDays;
  }

  /** Reads a page of an account's feed. */
  async page(accountId: AccountId, { start, size, types }: FeedRequest): Promise<FeedOutcome> {
    const found = await findStart(this.#prisma, accountId, { start, cutoff: this.#cutoff() });
    if (found.kind !== 'found') return found;
    const scanned = found.after + maximumScanned;
    const until = scanned < found.end ? scanned : found.end;
    const rows = await readEvents(this.#prisma, accountId, {
      after: found.after,
      until,
      size: size + 1,
      types,
    });
    const shown = rows.slice(0, size);
    const last = rows.length > size ? shown.at(-1) : undefined;
    return {
      kind: 'page',
      events: await toDocuments(this.#prisma, accountId, shown),
      position: last?.position ?? until,
      hasMore: last !== undefined || until < found.end,
    };
  }

  /** Reads the event at a position. */
  async find(accountId: AccountId, position: bigint): Promise<FoundEvent> {
    const found = await findStart(this.#prisma, accountId, {
      start: { after: position - 1n },
      cutoff: this.#cutoff(),
    });
    if (found.kind !== 'found') return found;
    const range = { after: position - 1n, until: position, size: 1, types: [] };
    const rows = await readEvents(this.#prisma, accountId, range);
    const [event] = await toDocuments(this.#prisma, accountId, rows);
    return event === undefined ? { kind: 'not_found' } : { kind: 'found', event };
  }

  #cutoff(): Date {
    return new Date(this.#clock().getTime() - this.#retentionDays * dayMilliseconds);
  }
}

/** Reads events of an account after one position, up to and including another. */
function readEvents(
  prisma: Pick<Prisma.TransactionClient, '$queryRaw'>,
  accountId: AccountId,
  { after, until, size, types }: { after: bigint; until: bigint; size: number; types: readonly string[] },
): Promise<EventRow[]> {
  const ofTypes = types.length === 0 ? Prisma.empty : Prisma.sql`AND type = ANY (${types})`;
  return prisma.$queryRaw<EventRow[]>`
    SELECT ${eventSelection} FROM events
    WHERE account_id = ${accountId} AND position > ${after} AND position <= ${until} ${ofTypes}
    ORDER BY position LIMIT ${size}`;
}

/** Builds the documents of events of an account. */
async function toDocuments(
  prisma: Pick<Prisma.TransactionClient, 'application'>,
  accountId: AccountId,
  rows: readonly EventRow[],
): Promise<EventDocument[]> {
  const ids = [...new Set(rows.flatMap(({ applicationId }) => applicationId ?? []))];
  const applications =
    ids.length === 0
      ? []
      : await prisma.application.findMany({
          where: { accountId, id: { in: ids } },
          select: { id: true, clientId: true },
        });
  const clientIds = new Map(applications.map(({ id, clientId }) => [id, clientId]));
  return rows.map((row) => toEventDocument(accountId, row, clientIds));
}
