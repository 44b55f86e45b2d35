import type { Clock } from '../../../platform/clock.js';
import { createBatcher } from '../../../platform/database/batcher.js';
import type { Database } from '../../../platform/database/client.js';
import { randomId } from '../../../platform/database/ids.js';
import { allAccounts, withScope } from '../../../platform/database/scope.js';
import type { WebhookSecrets } from '../webhook-secrets.js';
import type { ClaimedEndpoint } from './claim-endpoints.js';
import type { ReadPage } from './delivery-pages.js';
import { fixDeliveries, type NewDelivery } from './fix-deliveries.js';
import { advanced, failed, interrupted, paused } from './outcome-of-attempt.js';
import { type EndpointOutcome, type StoredAttempt, storeOutcomes } from './store-outcomes.js';
import { type Attempt, timeoutMilliseconds, type WebhookSender } from './webhook-sender.js';

/** Maximum number of endpoints of one statement, and of concurrent statements of a kind. */
const sharing = { maximum: 100, atOnce: 1 };

/** Observers of deliveries. */
export interface DeliveryObserver {
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
  readonly #fix: (delivery: NewDelivery) => Promise<boolean>;
  readonly #store: (outcome: EndpointOutcome) => Promise<boolean>;

  constructor(options: EndpointDeliveriesOptions) {
    const { database, clock } = options;
    this.#options = options;
    this.#fix = createBatcher((deliveries) => fixDeliveries(database, deliveries), sharing);
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
    if (!(await this.#fix({ endpoint, deliveryId, end }))) return false;
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

function isSuccess({ status }: Attempt): boolean {
  return status !== null && status >= 200 && status < 300;
}
