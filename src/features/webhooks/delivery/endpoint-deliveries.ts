import type { Clock } from '../../../platform/clock.js';
import { forEachShape } from '../../../platform/contract/attribute-access.js';
import { createBatcher } from '../../../platform/database/batcher.js';
import type { Database, PreparedStatement } from '../../../platform/database/client.js';
import { randomId } from '../../../platform/database/ids.js';
import { allAccounts, withScope } from '../../../platform/database/scope.js';
import { eventPage, maximumPageEvents, readableTypes, writeEventList } from '../../events/index.js';
import type { WebhookSecrets } from '../webhook-secrets.js';
import { type ClaimedEndpoint, type LeasedRow, leasedEndpoints, leaseStillHeld } from './claim-endpoints.js';
import { advanced, type EndpointOutcome, failed, interrupted, paused, storeOutcomes } from './outcome.js';
import { timeoutMilliseconds, type WebhookSender } from './webhook-sender.js';

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
    RETURNING stored.account_id AS "accountId", stored.id`,
};

/**
 * Reserves the events of deliveries, before their attempts.
 *
 * @param endpoints with their deliveries
 * @returns for each endpoint, whether it still had the lease
 */
async function reserveDeliveries(
  { runPrepared }: Pick<Database, 'runPrepared'>,
  endpoints: readonly ClaimedEndpoint[],
): Promise<boolean[]> {
  const given = endpoints.map(({ accountId, id, lease, deliveryId, deliveryEnd }) => ({
    account_id: accountId,
    id,
    lease,
    delivery_id: deliveryId,
    delivery_end: String(deliveryEnd),
  }));
  const rows = await runPrepared<LeasedRow>(reserveWebhookDeliveries, [JSON.stringify(given)], allAccounts);
  return leaseStillHeld(rows, endpoints);
}

/** Maximum number of positions that a page reads, because events are skipped that the endpoint does not get. */
const maximumScanned = 1_000n;

/** The next events of an endpoint. */
interface DeliveryPage {
  readonly events: number;
  /** Position of the last event that was read or skipped. */
  readonly end: bigint;
  readonly hasMore: boolean;
  /** `EventList` as JSON. */
  readonly body: Buffer;
}

/** Reads the page after the position of an endpoint; `null` when its events are no longer kept. */
export type ReadPage = (endpoint: ClaimedEndpoint) => Promise<DeliveryPage | null>;

/**
 * Creates readers of pages. Concurrent reads share statements.
 *
 * @returns creates a reader for endpoints that are claimed together. Endpoints at the same position of a feed share the
 *   page. Events before the cutoff are no longer kept.
 */
export function createPageReaders(database: Database, baseUrl: string): (cutoff: Date) => ReadPage {
  const findPage = forEachShape((shape) => eventPage(database, shape));
  const read = async (endpoint: ClaimedEndpoint, cutoff: Date): Promise<DeliveryPage | null> => {
    const { accountId, position, eventTypes, deliveryEnd, access } = endpoint;
    const types = readableTypes(eventTypes, endpoint.readsReports);
    // A repeated delivery has a fixed end.
    const until = deliveryEnd ?? position + maximumScanned;
    const found = await findPage(access)({
      ...{ accountId, after: position, until, types, cutoff },
      keys: access.keys,
    });
    // Positions have no gaps, so a missing event has been deleted because of its age.
    if (found === null || !(found.isKept ?? position === found.end)) return null;
    const read = deliveryEnd ?? (until < found.end ? until : found.end);
    const end = found.count === maximumPageEvents && found.last !== null ? found.last : read;
    const hasMore = end < found.end;
    const parameters: Record<string, string> =
      eventTypes.length === 0 ? {} : { 'filter[type]': eventTypes.join() };
    const { documents } = found;
    const body = writeEventList(baseUrl, {
      ...{ accountId, documents, position: end, hasMore },
      ...{ parameters, access },
    });
    return { events: found.count, end, hasMore, body };
  };
  return (cutoff) => {
    const pages = new Map<string, ReturnType<ReadPage>>();
    return (endpoint) => {
      const { accountId, position, eventTypes, readsReports, deliveryEnd, access } = endpoint;
      const part = `${readsReports} ${eventTypes.join()} ${access.restricted.join()} ${access.keys}`;
      const key = `${accountId} ${position} ${deliveryEnd ?? ''} ${part}`;
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

export interface EndpointDeliveriesOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly secrets: WebhookSecrets;
  readonly sender: WebhookSender;
  /** Called once when an endpoint is paused. */
  readonly onPaused?: (outcome: EndpointOutcome) => Promise<void>;
  readonly observer?: {
    /** An attempt ended. */
    onAttempt(outcome: 'delivered' | 'failed'): void;
  };
  /** An internal error. The work is repeated later, or omitted. */
  readonly onError: (error: unknown) => void;
}

/** Delivers the next events of endpoints that this process has claimed. Concurrent deliveries share statements. */
export class EndpointDeliveries {
  readonly #options: EndpointDeliveriesOptions;
  readonly #reserve: (endpoint: ClaimedEndpoint) => Promise<boolean>;
  readonly #store: (outcome: EndpointOutcome) => Promise<boolean>;

  constructor(options: EndpointDeliveriesOptions) {
    const { database, clock } = options;
    this.#options = options;
    this.#reserve = createBatcher((endpoints) => reserveDeliveries(database, endpoints), sharing);
    this.#store = createBatcher((outcomes) => storeOutcomes(database, outcomes, clock()), sharing);
  }

  /**
   * Delivers the next events of an endpoint.
   *
   * @returns whether the endpoint is due again at once
   */
  async deliver(endpoint: ClaimedEndpoint, readPage: ReadPage): Promise<boolean> {
    const { clock } = this.#options;
    if (!endpoint.isAllowed) return this.#end(paused(endpoint, 'access', clock()));
    const page = await readPage(endpoint);
    if (page === null) return this.#end(paused(endpoint, 'expired', clock()));
    const { events, end, hasMore } = page;
    if (events === 0)
      return this.#end(advanced(endpoint, { position: end, dueAt: hasMore ? clock() : null, attempt: null }));
    const deliveryId = endpoint.deliveryId ?? `msg_${randomId()}`;
    const delivering = { ...endpoint, deliveryId, deliveryEnd: end };
    // Before the attempt: another process repeats it with the same events, and nothing is sent to an endpoint that was deleted,
    // paused or moved meanwhile.
    if (!(await this.#reserve(delivering))) return false;
    // Another process may claim the endpoint during the attempt. It is due again when the lease expires.
    if (clock().getTime() + timeoutMilliseconds > endpoint.leaseEnd.getTime()) return false;
    return this.#send(delivering, page);
  }

  async #send(
    endpoint: ClaimedEndpoint & { readonly deliveryId: string },
    { events, end, hasMore, body }: DeliveryPage,
  ): Promise<boolean> {
    const { sender, secrets, clock, observer } = this.#options;
    const { url, deliveryId, position } = endpoint;
    const attemptedAt = clock();
    const attempt = await sender.send({
      url,
      secrets: await secrets.open(endpoint, attemptedAt),
      id: deliveryId,
      body,
      at: attemptedAt,
    });
    const at = clock();
    if (attempt.isInterrupted) return this.#end(interrupted(endpoint, at));
    const { durationMs, status, error, response } = attempt;
    const delivered = status !== null && status >= 200 && status < 300;
    observer?.onAttempt(delivered ? 'delivered' : 'failed');
    const result = { attemptedAt, durationMs, status, error, response };
    const stored = { deliveryId, firstPosition: position + 1n, lastPosition: end, events, ...result };
    return this.#end(
      delivered
        ? advanced(endpoint, { position: end, dueAt: hasMore ? at : null, attempt: stored })
        : failed(endpoint, attempt, stored, at),
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
