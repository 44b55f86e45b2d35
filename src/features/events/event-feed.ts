import type { AccountId } from '../../platform/accounts/account-id.js';
import type { Clock } from '../../platform/clock.js';
import { type Database, Prisma } from '../../platform/database/client.js';
import { type EventDocument, toEventDocument } from './event-document.js';
import { type EventRow, eventSelection } from './event-row.js';
import { type FeedStart, findStart } from './feed-start.js';

/**
 * Maximum number of positions that one page reads, because events of other types are skipped. A page of rare events may be
 * empty although more follow.
 */
const maximumScanned = 10_000n;

const dayMilliseconds = 86_400_000;

export interface FeedRequest {
  readonly start: FeedStart;
  readonly size: number;
  /** Types of the events; empty: all. */
  readonly types: readonly string[];
}

/** Events in the order of the feed. */
export interface FeedPage {
  readonly events: readonly EventDocument[];
  /** Position of the last event that was read or skipped. */
  readonly position: bigint;
  readonly hasMore: boolean;
}

export type FeedOutcome =
  | ({ readonly kind: 'page' } & FeedPage)
  | { readonly kind: 'expired' }
  | { readonly kind: 'unknown' };

export type FoundEvent =
  | { readonly kind: 'found'; readonly event: EventDocument }
  | { readonly kind: 'expired' }
  | { readonly kind: 'unknown' };

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
    return event === undefined ? { kind: 'unknown' } : { kind: 'found', event };
  }

  #cutoff(): Date {
    return new Date(this.#clock().getTime() - this.#retentionDays * dayMilliseconds);
  }
}

/** Reads events of an account after one position, up to and including another. */
export function readEvents(
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
