import type { Clock } from '../../../platform/clock.js';
import { createBatcher } from '../../../platform/database/batcher.js';
import type { Database, PreparedStatement } from '../../../platform/database/client.js';
import { randomId } from '../../../platform/database/ids.js';
import { allAccounts, withScope } from '../../../platform/database/scope.js';
import { eventPage, maximumPageEvents, writeEventList } from '../../events/index.js';
import type { WebhookSecrets } from '../webhook-secrets.js';
import { type ClaimedEndpoint, leasedEndpoints } from './claim-endpoints.js';
import {
  advanced,
  type EndpointOutcome,
  failed,
  interrupted,
  paused,
  type StoredAttempt,
} from './outcome.js';
import { leaseStillHeld, storeOutcomes } from './store-outcomes.js';
import { type DeliveryAttempt, timeoutMilliseconds, type WebhookSender } from './webhook-sender.js';

/**
 * Reserves the events of deliveries from a JSON array, before each attempt. Returns the endpoints that still had the lease.
 *
 * Benchmark and test: see `claimWebhookEndpoints`.
 */
const reserveWebhookDeliveries: PreparedStatement = {
  name: 'reserve_webhook_deliveries',
  isOnCoordinator: true,
  text: `
    WITH ${leasedEndpoints('delivery_id text, delivery_end bigint')}
    UPDATE webhook_endpoints AS stored SET delivery_id = given.delivery_id, delivery_end = given.delivery_end
    FROM locked JOIN given ON given.account_id = locked.account_id AND given.id = locked.id
    WHERE stored.account_id = locked.account_id AND stored.id = locked.id
    RETURNING stored.account_id, stored.id`,
};

/** A delivery that is about to be sent. */
interface NewDelivery {
  readonly endpoint: ClaimedEndpoint;
  readonly deliveryId: string;
  /** Position of the last event. */
  readonly end: bigint;
}

/**
 * Reserves the events of deliveries, before their attempts.
 *
 * @returns for each delivery, whether the endpoint still had the lease
 */
async function reserveDeliveries(
  { runPrepared }: Pick<Database, 'runPrepared'>,
  deliveries: readonly NewDelivery[],
): Promise<boolean[]> {
  const given = deliveries.map(({ endpoint, deliveryId, end }) => ({
    account_id: endpoint.accountId,
    id: endpoint.id,
    lease: endpoint.lease,
    delivery_id: deliveryId,
    delivery_end: String(end),
  }));
  const rows = await runPrepared(reserveWebhookDeliveries, [JSON.stringify(given)], allAccounts);
  return leaseStillHeld(rows, deliveries);
}

/** Maximum number of positions that a page of selected types reads, because events of other types are skipped. */
const maximumScanned = 1_000n;

/** The next events of an endpoint. */
type DeliveryPage =
  | { readonly kind: 'expired' }
  | {
      readonly kind: 'page';
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

/** Maximum number of endpoints of one statement, and of concurrent statements of a kind. */
const sharing = { maxBatchSize: 100, concurrency: 1 };

interface DeliveryObserver {
  /** An attempt ended. */
  onAttempt(outcome: 'delivered' | 'failed'): void;
}

export interface EndpointDeliveriesOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly secrets: WebhookSecrets;
  readonly sender: WebhookSender;
  /** Called once when an endpoint is paused. */
  readonly onPaused?: (outcome: EndpointOutcome) => Promise<void>;
  readonly observer?: DeliveryObserver;
  /** An internal error. The work is repeated later, or omitted. */
  readonly onError: (error: unknown) => void;
}

/** Delivers the next events of endpoints that this process has claimed. Concurrent deliveries share statements. */
export class EndpointDeliveries {
  readonly #options: EndpointDeliveriesOptions;
  readonly #reserve: (delivery: NewDelivery) => Promise<boolean>;
  readonly #store: (outcome: EndpointOutcome) => Promise<boolean>;

  constructor(options: EndpointDeliveriesOptions) {
    const { database, clock } = options;
    this.#options = options;
    this.#reserve = createBatcher((deliveries) => reserveDeliveries(database, deliveries), sharing);
    this.#store = createBatcher((outcomes) => storeOutcomes(database, outcomes, clock()), sharing);
  }

  /**
   * Delivers the next events of an endpoint.
   *
   * @returns whether the endpoint is due again at once
   */
  async deliver(endpoint: ClaimedEndpoint, readPage: ReadPage): Promise<boolean> {
    const { clock } = this.#options;
    if (!endpoint.isAllowed) return this.#end(paused(endpoint, { reason: 'access', at: clock() }));
    const page = await readPage(endpoint);
    if (page.kind === 'expired') return this.#end(paused(endpoint, { reason: 'expired', at: clock() }));
    const { events, end, hasMore, body } = page;
    if (events === 0)
      return this.#end(advanced(endpoint, { position: end, dueAt: hasMore ? clock() : null, attempt: null }));
    const deliveryId = endpoint.deliveryId ?? `msg_${randomId()}`;
    // Before the attempt: another process repeats it with the same events, and nothing is sent to an endpoint that was deleted,
    // paused or moved meanwhile.
    if (!(await this.#reserve({ endpoint, deliveryId, end }))) return false;
    // Another process may claim the endpoint during the attempt. It is due again when the lease expires.
    if (clock().getTime() + timeoutMilliseconds > endpoint.leaseEnd.getTime()) return false;
    return this.#send(endpoint, { deliveryId, end, hasMore, body, events });
  }

  async #send(
    endpoint: ClaimedEndpoint,
    {
      deliveryId,
      end,
      hasMore,
      body,
      events,
    }: { deliveryId: string; end: bigint; hasMore: boolean; body: Buffer; events: number },
  ): Promise<boolean> {
    const { sender, secrets, clock, observer } = this.#options;
    const attemptedAt = clock();
    const attempt = await sender.send({
      url: endpoint.url,
      secrets: await secrets.open(endpoint, attemptedAt),
      id: deliveryId,
      body,
      at: attemptedAt,
    });
    const at = clock();
    if (attempt.isInterrupted) return this.#end(interrupted(endpoint, { deliveryId, end, at }));
    const delivered = isSuccess(attempt);
    observer?.onAttempt(delivered ? 'delivered' : 'failed');
    const { durationMs, status, error, response } = attempt;
    const stored: StoredAttempt = {
      ...{ deliveryId, lastPosition: end, events, attemptedAt, durationMs, status, error, response },
      firstPosition: endpoint.position + 1n,
    };
    return this.#end(
      delivered
        ? advanced(endpoint, { position: end, dueAt: hasMore ? at : null, attempt: stored })
        : failed(endpoint, { deliveryId, end, attempt, stored, at }),
    );
  }

  async #end(outcome: EndpointOutcome): Promise<boolean> {
    const { onPaused, onError } = this.#options;
    const stored = await this.#store(outcome);
    if (stored && outcome.pausedAt !== null)
      await withScope(allAccounts, () => onPaused?.(outcome)).catch(onError);
    return stored && outcome.dueAt !== null && outcome.failures === 0;
  }
}

function isSuccess({ status }: DeliveryAttempt): boolean {
  return status !== null && status >= 200 && status < 300;
}
