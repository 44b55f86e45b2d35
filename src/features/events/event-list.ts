import type { EventDocument } from './event-document.js';
import { eventId } from './event-id.js';

/** A page of a feed as the schema `EventList` of the contract describes it. */
interface EventListDocument {
  readonly data: EventDocument[];
  readonly meta: { readonly has_more: boolean; readonly next_cursor: string };
  readonly links: { readonly next: string };
}

/** A page of a feed, and how it was requested. */
interface ListedPage {
  readonly events: readonly EventDocument[];
  /** Position of the last event that was read or skipped. */
  readonly position: bigint;
  readonly hasMore: boolean;
  /** Query parameters of the next page in addition to the cursor. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** Builds the document of a page of an account's feed. */
export function toEventList(
  baseUrl: string,
  accountId: string,
  { events, ...page }: ListedPage,
): EventListDocument {
  return { data: [...events], ...afterData(baseUrl, accountId, page) };
}

/**
 * Writes the same document as JSON.
 *
 * @param page documents: events as JSON, separated by commas
 */
export function writeEventList(
  baseUrl: string,
  accountId: string,
  { documents, ...page }: Omit<ListedPage, 'events'> & { readonly documents: string },
): Buffer {
  const end = `],${JSON.stringify(afterData(baseUrl, accountId, page)).slice(1)}`;
  // Parts are written one after the other, because V8 would copy a joined text first.
  const bytes = Buffer.allocUnsafe(start.length + Buffer.byteLength(documents) + Buffer.byteLength(end));
  let length = bytes.write(start);
  for (const part of [documents, end]) length += bytes.write(part, length);
  return bytes;
}

const start = '{"data":[';

function afterData(
  baseUrl: string,
  accountId: string,
  { position, hasMore, parameters }: Omit<ListedPage, 'events'>,
): Omit<EventListDocument, 'data'> {
  const cursor = eventId(accountId, position);
  const next = new URLSearchParams({ 'page[after]': cursor, ...parameters });
  return {
    meta: { has_more: hasMore, next_cursor: cursor },
    links: { next: `${baseUrl}/v1/events?${next}` },
  };
}
