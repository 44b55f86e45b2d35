import type { Database } from '../../../database/client.js';
import type { AccountId } from '../../account-id.js';
import type { EventDocument } from '../../events/event-document.js';
import { readEvents, toDocuments } from '../../events/event-feed.js';
import { toEventList } from '../../events/event-list.js';
import { findStart } from '../../events/feed-start.js';
import type { ClaimedEndpoint } from './due-endpoints.js';

/** Events of one delivery. */
const pageSize = 100;

/** Positions that are read at most, because events of other types are skipped. */
const maximumScanned = 10_000n;

/** The next events of an endpoint. */
export type DeliveryPage =
  | { readonly kind: 'expired' }
  | {
      readonly kind: 'page';
      readonly events: readonly EventDocument[];
      /** Position of the last event that was read or skipped. */
      readonly end: bigint;
      readonly hasMore: boolean;
      /** `EventList` as JSON. */
      readonly body: string;
    };

interface Range {
  readonly accountId: AccountId;
  readonly position: bigint;
  readonly types: readonly string[];
  /** End of a delivery that is repeated; `null` for a new one. */
  readonly end: bigint | null;
}

/** Reads the pages of deliveries. Endpoints that are at the same position of a feed share a page. */
export class DeliveryPages {
  readonly #prisma: Database['prisma'];
  readonly #baseUrl: string;
  readonly #cutoff: Date;
  readonly #pages = new Map<string, Promise<DeliveryPage>>();

  /** @param options.cutoff events before this time are no longer kept */
  constructor({ prisma }: Pick<Database, 'prisma'>, { baseUrl, cutoff }: { baseUrl: string; cutoff: Date }) {
    this.#prisma = prisma;
    this.#baseUrl = baseUrl;
    this.#cutoff = cutoff;
  }

  /** Reads the page after the position of an endpoint. */
  read({ accountId, position, eventTypes: types, deliveryEnd: end }: ClaimedEndpoint): Promise<DeliveryPage> {
    const key = JSON.stringify([accountId, String(position), types, end === null ? null : String(end)]);
    let page = this.#pages.get(key);
    if (page === undefined) {
      page = this.#read({ accountId, position, types, end });
      this.#pages.set(key, page);
    }
    return page;
  }

  async #read({ accountId, position, types, end }: Range): Promise<DeliveryPage> {
    const start = await findStart(this.#prisma, accountId, {
      start: { after: position },
      cutoff: this.#cutoff,
    });
    if (start.kind !== 'found') return { kind: 'expired' };
    const scanned = position + maximumScanned;
    const until = end ?? (scanned < start.end ? scanned : start.end);
    const range = { after: position, until, size: pageSize + 1, types };
    const rows = await readEvents(this.#prisma, accountId, range);
    const sent = rows.slice(0, pageSize);
    const last = rows.length > pageSize ? sent.at(-1) : undefined;
    const page = {
      events: await toDocuments(this.#prisma, accountId, sent),
      position: last?.position ?? until,
      hasMore: last !== undefined || until < start.end,
    };
    const parameters: Record<string, string> = types.length === 0 ? {} : { 'filter[type]': types.join() };
    return {
      kind: 'page',
      events: page.events,
      end: page.position,
      hasMore: page.hasMore,
      body: JSON.stringify(toEventList(this.#baseUrl, accountId, { ...page, parameters })),
    };
  }
}
