import type { AccountId } from '../../platform/accounts/account-id.js';
import { type Clock, dayMilliseconds } from '../../platform/clock.js';
import type { AttributeAccess } from '../../platform/contract/attribute-access.js';
import { type Database, Prisma } from '../../platform/database/client.js';
import { accountScope } from '../../platform/database/scope.js';
import { accountEvents, typesParameter } from './event-statements.js';
import type { EventTypes } from './readable-types.js';

/** Start of a reader: after a position, or with the first event that is not older than a time. */
type FeedStart = { readonly after: bigint } | { readonly since: Date };

type ResolvedStart =
  /** `after`: position before the first event; `end`: position of the last event of the feed. */
  | { readonly kind: 'found'; readonly after: bigint; readonly end: bigint }
  /** `expired`: events after the position are no longer kept; `not_found`: the feed has not reached the position. */
  | { readonly kind: 'expired' | 'not_found' };

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
  const [row] = await prisma.$queryRaw<{ end: bigint; position: bigint | null; occurredAt: Date | null }[]>`
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
 * Maximum number of positions that one page reads, because events are skipped that the reader has not requested or may not read. A page
 * of rare events may be empty although more follow.
 */
const maximumScanned = 10_000n;

export interface FeedRequest {
  readonly start: FeedStart;
  readonly size: number;
  readonly types: EventTypes;
  /** Attributes of employees that the reader may read. Events that changed only other attributes are skipped. */
  readonly access: AttributeAccess;
}

type FeedOutcome =
  | {
      readonly kind: 'page';
      /** Events as JSON, in the order of the feed. */
      readonly events: readonly string[];
      /** Position of the last event that was read or skipped. */
      readonly position: bigint;
      readonly hasMore: boolean;
    }
  | { readonly kind: 'expired' }
  | { readonly kind: 'not_found' };

type FoundEvent =
  /** `event`: as JSON. */
  | { readonly kind: 'found'; readonly event: string }
  | { readonly kind: 'expired' }
  | { readonly kind: 'not_found' };

/** The feeds of accounts. They are read on the primary, where a position is never ahead of the events. */
export class EventFeed {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #retentionDays: number;

  /** @param retentionDays days after which events are no longer shown */
  constructor(database: Database, { clock, retentionDays }: { clock: Clock; retentionDays: number }) {
    this.#database = database;
    this.#clock = clock;
    this.#retentionDays = retentionDays;
  }

  /** Reads a page of an account's feed. */
  async page(accountId: AccountId, { start, size, types, access }: FeedRequest): Promise<FeedOutcome> {
    const found = await this.#findStart(accountId, start);
    if (found.kind !== 'found') return found;
    const scanned = found.after + maximumScanned;
    const until = scanned < found.end ? scanned : found.end;
    const rows = await this.#read(accountId, {
      after: found.after,
      until,
      size: size + 1,
      types,
      access,
    });
    const shown = rows.slice(0, size);
    const last = rows.length > size ? shown.at(-1) : undefined;
    return {
      kind: 'page',
      events: shown.map(({ document }) => document),
      position: last?.position ?? until,
      hasMore: last !== undefined || until < found.end,
    };
  }

  /**
   * Reads the event at a position. One of another type is not found, nor one that changed only attributes that the reader may not read.
   */
  async find(
    accountId: AccountId,
    position: bigint,
    { types, access }: Pick<FeedRequest, 'types' | 'access'>,
  ): Promise<FoundEvent> {
    const after = position - 1n;
    const found = await this.#findStart(accountId, { after });
    if (found.kind !== 'found') return found;
    const [event] = await this.#read(accountId, { after, until: position, size: 1, types, access });
    return event === undefined ? { kind: 'not_found' } : { kind: 'found', event: event.document };
  }

  #findStart(accountId: AccountId, start: FeedStart): Promise<ResolvedStart> {
    const cutoff = new Date(this.#clock().getTime() - this.#retentionDays * dayMilliseconds);
    return findStart(this.#database.prisma, accountId, { start, cutoff });
  }

  /** Reads events after one position, up to and including another. */
  async #read(
    accountId: AccountId,
    {
      after,
      until,
      size,
      types,
      access,
    }: { after: bigint; until: bigint } & Pick<FeedRequest, 'size' | 'types' | 'access'>,
  ): Promise<{ position: bigint; document: string }[]> {
    const values = [accountId, String(after), String(until), typesParameter(types), String(size)];
    const rows = await this.#database.runPrepared<{ position: string; document: string }>(
      accountEvents(access),
      access.keys === '' ? values : [...values, access.keys],
      accountScope(accountId),
    );
    return rows.map(({ position, document }) => ({ position: BigInt(position), document }));
  }
}
