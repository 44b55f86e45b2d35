import { type Database, Prisma } from '../../../database/client.js';
import { type EventDocument, toEventDocument } from '../../events/event-document.js';
import { toEventList } from '../../events/event-list.js';
import { type EventRow, eventSelection } from '../../events/event-row.js';
import type { ClaimedEndpoint } from './due-endpoints.js';

/** Events of one delivery. */
const pageSize = 100;

/** Positions that a page with some types reads at most, because events of other types are skipped. */
const maximumScanned = 1_000n;

/** The next events of an endpoint. */
export type DeliveryPage =
  | { readonly kind: 'expired' }
  /** The page could not be built; the others of the batch were. */
  | { readonly kind: 'failed'; readonly error: unknown }
  | {
      readonly kind: 'page';
      readonly events: readonly EventDocument[];
      /** Position of the last event that was read or skipped. */
      readonly end: bigint;
      readonly hasMore: boolean;
      /** `EventList` as JSON. */
      readonly body: string;
    };

/** A page that is read. Endpoints at the same position of a feed share it. */
interface Range extends Pick<ClaimedEndpoint, 'accountId' | 'position' | 'eventTypes' | 'deliveryEnd'> {
  readonly number: number;
}

interface Start {
  readonly number: number;
  /** Position of the last event of the feed. */
  readonly end: bigint;
  /** Whether the first event is kept; `null`: there is none. */
  readonly isKept: boolean | null;
}

type PageRow = EventRow & { readonly number: number; readonly clientId: string | null };

/**
 * Reads the page after the position of each endpoint, with two statements for all.
 *
 * @param options.cutoff events before this time are no longer kept
 */
export async function readPages(
  { prisma }: Pick<Database, 'prisma'>,
  endpoints: readonly ClaimedEndpoint[],
  { baseUrl, cutoff }: { baseUrl: string; cutoff: Date },
): Promise<(endpoint: ClaimedEndpoint) => DeliveryPage> {
  const ranges = new Map<string, Range>();
  for (const endpoint of endpoints) {
    const key = keyOf(endpoint);
    if (!ranges.has(key)) ranges.set(key, { ...endpoint, number: ranges.size });
  }
  const starts = new Map(
    (await readStarts(prisma, [...ranges.values()], cutoff)).map((start) => [start.number, start]),
  );
  const found = [...ranges.values()].flatMap((range) => {
    const start = starts.get(range.number);
    return start !== undefined && hasEvents(range, start) ? [{ ...range, until: untilOf(range, start) }] : [];
  });
  const rows = [...ranges.values()].map((): PageRow[] => []);
  for (const row of await readRows(prisma, found)) rows[row.number]?.push(row);
  const pages = new Map<number, DeliveryPage>();
  for (const { until, ...range } of found) {
    const page = { until, end: starts.get(range.number)?.end ?? until, rows: rows[range.number] ?? [] };
    pages.set(range.number, toPage(baseUrl, range, page));
  }
  return (endpoint) => pages.get(ranges.get(keyOf(endpoint))?.number ?? -1) ?? { kind: 'expired' };
}

function keyOf({ accountId, position, eventTypes, deliveryEnd }: ClaimedEndpoint): string {
  return `${accountId} ${position} ${deliveryEnd ?? ''} ${eventTypes.join()}`;
}

/** Positions have no gaps, so a missing event has been deleted because of its age. */
function hasEvents({ position }: Range, { end, isKept }: Start): boolean {
  return isKept ?? position === end;
}

/** Position up to which a page is read; that of a delivery that is repeated is fixed. */
function untilOf({ position, deliveryEnd, eventTypes }: Range, { end }: Start): bigint {
  if (deliveryEnd !== null) return deliveryEnd;
  const scanned = position + (eventTypes.length === 0 ? BigInt(pageSize) : maximumScanned);
  return scanned < end ? scanned : end;
}

function readStarts(
  prisma: Database['prisma'],
  ranges: readonly Range[],
  cutoff: Date,
): Promise<readonly Start[]> {
  return prisma.$queryRaw<Start[]>`
    SELECT given.number, totals.events AS end, next.occurred_at >= ${cutoff} AS "isKept"
    FROM ${givenRanges(ranges.map((range) => ({ ...range, until: 0n })))}
    JOIN account_totals AS totals ON totals.account_id = given.account_id
    LEFT JOIN events AS next ON next.account_id = totals.account_id AND next.position = given.after + 1`;
}

/** Reads one row more than a page has. */
async function readRows(
  prisma: Database['prisma'],
  ranges: readonly (Range & { until: bigint })[],
): Promise<readonly PageRow[]> {
  const wanted = ranges.filter(({ position, until }) => until > position);
  if (wanted.length === 0) return [];
  return prisma.$queryRaw<PageRow[]>`
    SELECT number, client_id AS "clientId", ${eventSelection}
    FROM (
      SELECT given.number, event.*, application.client_id,
        row_number() OVER (PARTITION BY event.account_id, given.number ORDER BY event.position) AS place
      FROM ${givenRanges(wanted)}
      JOIN events AS event ON event.account_id = given.account_id
        AND event.position > given.after AND event.position <= given.until
        AND (given.types IS NULL OR event.type = ANY (given.types))
      LEFT JOIN applications AS application
        ON application.account_id = event.account_id AND application.id = event.application_id
    ) AS found
    WHERE place <= ${pageSize + 1}
    ORDER BY number, position`;
}

function givenRanges(ranges: readonly (Range & { until: bigint })[]): Prisma.Sql {
  const rows = ranges.map(({ number, accountId, position, until, eventTypes }) => ({
    number,
    account_id: accountId,
    after: String(position),
    until: String(until),
    types: eventTypes.length === 0 ? null : eventTypes,
  }));
  return Prisma.sql`json_to_recordset(${JSON.stringify(rows)}::json)
    AS given (number int, account_id text, after bigint, until bigint, types text[])`;
}

function toPage(
  baseUrl: string,
  { accountId, eventTypes }: Range,
  { until, end, rows }: { until: bigint; end: bigint; rows: readonly PageRow[] },
): DeliveryPage {
  try {
    const sent = rows.slice(0, pageSize);
    const last = rows.length > pageSize ? sent.at(-1) : undefined;
    const clientIds = new Map(
      sent.flatMap(({ applicationId, clientId }) =>
        applicationId === null || clientId === null ? [] : [[applicationId, clientId]],
      ),
    );
    const events = sent.map((row) => toEventDocument(accountId, row, clientIds));
    const position = last?.position ?? until;
    const hasMore = last !== undefined || until < end;
    const parameters: Record<string, string> =
      eventTypes.length === 0 ? {} : { 'filter[type]': eventTypes.join() };
    const body = JSON.stringify(toEventList(baseUrl, accountId, { events, position, hasMore, parameters }));
    return { kind: 'page', events, end: position, hasMore, body };
  } catch (error) {
    return { kind: 'failed', error };
  }
}
