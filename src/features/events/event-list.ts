import { type AttributeAccess, restrictedMeta } from '../../platform/contract/attribute-access.js';

const prefix = 'evt_';
const digits = 8;

/**
 * Returns the id of the event at a position of an account's feed, which is also the cursor of the events after it. Ids of an
 * account sort like positions.
 *
 * @param position from 1; 0 is the cursor of the whole feed
 */
export function eventId(accountId: string, position: bigint): string {
  return `${prefix}${accountId}_${position.toString(36).padStart(digits, '0')}`;
}

/** Returns the position in an event id or a cursor of an account; `null` for other strings. */
export function eventPosition(accountId: string, id: string): bigint | null {
  const start = `${prefix}${accountId}_`;
  const text = id.slice(start.length);
  if (!id.startsWith(start) || !/^[0-9a-z]{8}$/.test(text)) return null;
  return BigInt(Number.parseInt(text, 36));
}

/** A page of the feed of an account, and how it was requested. */
interface ListedPage {
  readonly accountId: string;
  /** Events as JSON, separated by commas. */
  readonly documents: string;
  /** Position of the last event that was read or skipped. */
  readonly position: bigint;
  readonly hasMore: boolean;
  /** Query parameters of the next page in addition to the cursor. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Attributes of employees that the reader may read. */
  readonly access: AttributeAccess;
}

/** Builds the schema `EventList` of the contract as JSON. */
export function toEventList(baseUrl: string, page: ListedPage): string {
  return partsOf(baseUrl, page).join('');
}

/** Builds the same JSON as bytes. Parts are written one after the other, because V8 would copy a joined text first. */
export function writeEventList(baseUrl: string, page: ListedPage): Buffer {
  const parts = partsOf(baseUrl, page);
  const bytes = Buffer.allocUnsafe(parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0));
  let length = 0;
  for (const part of parts) length += bytes.write(part, length);
  return bytes;
}

function partsOf(
  baseUrl: string,
  { accountId, documents, position, hasMore, parameters, access }: ListedPage,
): readonly string[] {
  const cursor = eventId(accountId, position);
  const next = new URLSearchParams({ 'page[after]': cursor, ...parameters });
  const afterData = {
    meta: { has_more: hasMore, next_cursor: cursor, ...restrictedMeta(access) },
    links: { next: `${baseUrl}/v1/events?${next}` },
  };
  return ['{"data":[', documents, `],${JSON.stringify(afterData).slice(1)}`];
}
