import type { Database } from '../../../platform/database/client.js';
import { eventPage, maximumPageEvents, writeEventList } from '../../events/index.js';
import type { ClaimedEndpoint } from './claim-endpoints.js';

/** Maximum number of positions that a page of selected types reads, because events of other types are skipped. */
const maximumScanned = 1_000n;

/** The next events of an endpoint. */
export type DeliveryPage =
  | { readonly kind: 'expired' }
  | {
      readonly kind: 'page';
      /** Number of events. */
      readonly events: number;
      /** Position of the last event that was read or skipped. */
      readonly end: bigint;
      readonly hasMore: boolean;
      /** `EventList` as JSON. */
      readonly body: Buffer;
    };

/** Reads the page after the position of an endpoint. */
export type ReadPage = (endpoint: ClaimedEndpoint) => Promise<DeliveryPage>;

/**
 * Creates readers of pages. Concurrent reads share statements.
 *
 * @returns creates a reader for endpoints that are claimed together. Endpoints at the same position of a feed share the
 *   page. Events before the cutoff are no longer kept.
 */
export function createPageReaders(database: Database, baseUrl: string): (cutoff: Date) => ReadPage {
  const findPage = eventPage(database);
  const read = async (endpoint: ClaimedEndpoint, cutoff: Date): Promise<DeliveryPage> => {
    const { accountId, position, eventTypes: types, deliveryEnd } = endpoint;
    const scanned = types.length === 0 ? BigInt(maximumPageEvents) : maximumScanned;
    // A repeated delivery has a fixed end.
    const until = deliveryEnd ?? position + scanned;
    const found = await findPage({ accountId, after: position, until, types, cutoff });
    // Positions have no gaps, so a missing event has been deleted because of its age.
    if (found === null || !(found.isKept ?? position === found.end)) return { kind: 'expired' };
    const read = deliveryEnd ?? (until < found.end ? until : found.end);
    const end = found.count === maximumPageEvents && found.last !== null ? found.last : read;
    const hasMore = end < found.end;
    const parameters: Record<string, string> = types.length === 0 ? {} : { 'filter[type]': types.join() };
    const list = { documents: found.documents, position: end, hasMore, parameters };
    const body = writeEventList(baseUrl, accountId, list);
    return { kind: 'page', events: found.count, end, hasMore, body };
  };
  return (cutoff) => {
    const pages = new Map<string, Promise<DeliveryPage>>();
    return (endpoint) => {
      const { accountId, position, eventTypes, deliveryEnd } = endpoint;
      const key = `${accountId} ${position} ${deliveryEnd ?? ''} ${eventTypes.join()}`;
      const shared = pages.get(key);
      if (shared !== undefined) return shared;
      // Not kept after it was read, because the slowest of the endpoints may take long.
      const page = read(endpoint, cutoff).finally(() => pages.delete(key));
      pages.set(key, page);
      return page;
    };
  };
}
