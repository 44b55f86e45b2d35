import type { EventDocument } from './event-document.js';
import { eventId } from './event-id.js';

/** A page of a feed as the schema `EventList` of the contract describes it. */
export interface EventListDocument {
  readonly data: EventDocument[];
  readonly meta: { readonly has_more: boolean; readonly next_cursor: string };
  readonly links: { readonly next: string };
}

/** A page of a feed, and how it was requested. */
export interface ListedPage {
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
  { events, position, hasMore, parameters }: ListedPage,
): EventListDocument {
  const cursor = eventId(accountId, position);
  const next = new URLSearchParams({ 'page[after]': cursor, ...parameters });
  return {
    data: [...events],
    meta: { has_more: hasMore, next_cursor: cursor },
    links: { next: `${baseUrl}/v1/events?${next}` },
  };
}
