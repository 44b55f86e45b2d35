import type { Clock } from '../../../clock.js';
import { createBatcher } from '../../../database/batcher.js';
import type { Database, DatabaseLogger } from '../../../database/client.js';
import { randomId } from '../../../database/ids.js';
import { allAccounts, withScope } from '../../../database/scope.js';
import type { WebhookSecrets } from '../webhook-secrets.js';
import { readPages } from './delivery-pages.js';
import { type ClaimedEndpoint, claimEndpoints, wakeEndpoints } from './due-endpoints.js';
import { fixDeliveries, type NewDelivery } from './fix-deliveries.js';
import { advanced, failed, interrupted, paused } from './outcome-of-attempt.js';
import { type EndpointOutcome, type StoredAttempt, storeOutcomes } from './store-outcomes.js';
import type { Attempt, WebhookSender } from './webhook-sender.js';

/** Interval in which a process looks for new events and endpoints that are due. */
export const webhookPollMilliseconds = 1_000;

/** Deliveries of this process at a time, and of one account, so that none waits for all endpoints of another. */
const maximumRunning = 100;
const maximumOfAccount = 20;

/** Milliseconds for which a process that stops waits for responses. */
const stopMilliseconds = 5_000;

const dayMilliseconds = 86_400_000;

/** What is reported about deliveries. */
export interface DeliveryObserver {
  /** An attempt ended. */
  onAttempt(outcome: 'delivered' | 'failed'): void;
}

export interface WebhookWorkerOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly baseUrl: string;
  readonly eventRetentionDays: number;
  readonly secrets: WebhookSecrets;
  readonly sender: WebhookSender;
  /** Called once when an endpoint is paused. */
  readonly onPaused?: (outcome: EndpointOutcome) => Promise<void>;
  readonly observer?: DeliveryObserver;
  readonly logger?: DatabaseLogger;
}

/** Sends new events to webhook endpoints, in any process. An endpoint has one delivery at a time, so that it gets events in order. */
export class WebhookWorker {
  readonly #options: WebhookWorkerOptions;
  readonly #store: (outcome: EndpointOutcome) => Promise<boolean>;
  readonly #stopping = new AbortController();
  readonly #runs = new Set<Promise<void>>();
  /** Deliveries that run, by account. */
  readonly #running = new Map<string, number>();
  /** Claims run one after the other. */
  #claims: Promise<void> = Promise.resolve();
  /** Whether a claim waits for the one that runs. It also finds what is due meanwhile. */
  #isClaimQueued = false;

  constructor(options: WebhookWorkerOptions) {
    this.#options = options;
    this.#store = createBatcher(
      (outcomes) => withScope(allAccounts, () => storeOutcomes(options.database, outcomes, options.clock())),
      { maximum: 100, atOnce: 2 },
    );
  }

  /** Number of deliveries that run in this process. */
  get running(): number {
    let sum = 0;
    for (const count of this.#running.values()) sum += count;
    return sum;
  }

  /** Looks for work without waiting for the result. */
  wake(): void {
    if (this.#isClaimQueued) return;
    this.poll().catch((err) =>
      this.#options.logger?.warn({ err }, 'looking for webhooks failed and will be retried'),
    );
  }

  /** Starts deliveries while this process has room. */
  poll(): Promise<void> {
    this.#isClaimQueued = true;
    const claims = this.#claims.then(() => {
      this.#isClaimQueued = false;
      return withScope(allAccounts, () => this.#claimAll());
    });
    this.#claims = claims.catch(() => {});
    return claims;
  }

  /** Resolves when this process delivers nothing. */
  async idle(): Promise<void> {
    await this.#claims;
    while (this.#runs.size > 0) {
      await Promise.all(this.#runs);
      await this.#claims;
    }
  }

  /** Stops after the running attempts, or interrupts them after a few seconds. Other processes repeat those at once. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    const timer = setTimeout(() => this.#options.sender.interrupt(), stopMilliseconds);
    await this.idle();
    clearTimeout(timer);
    await this.#options.sender.close();
  }

  async #claimAll(): Promise<void> {
    const { database, clock } = this.#options;
    await wakeEndpoints(database, clock());
    while (this.running < maximumRunning && !this.#stopping.signal.aborted) {
      const endpoints = await claimEndpoints(database, {
        now: clock(),
        maximum: maximumRunning - this.running,
        maximumOfAccount,
        running: this.#running,
      });
      if (endpoints.length === 0) return;
      for (const { accountId } of endpoints) this.#count(accountId, 1);
      const run = withScope(allAccounts, () => this.#deliverAll(endpoints)).finally(() => {
        this.#runs.delete(run);
      });
      this.#runs.add(run);
    }
  }

  /** Whether endpoints of the account may wait although they are due. */
  #hasNoRoom(accountId: string): boolean {
    return this.running >= maximumRunning || (this.#running.get(accountId) ?? 0) >= maximumOfAccount;
  }

  #count(accountId: string, delta: 1 | -1): void {
    const count = (this.#running.get(accountId) ?? 0) + delta;
    if (count === 0) this.#running.delete(accountId);
    else this.#running.set(accountId, count);
  }

  /** Never rejects: what fails is repeated when the lease ends. */
  async #deliverAll(endpoints: readonly ClaimedEndpoint[]): Promise<void> {
    const left = new Set(endpoints);
    const end = (endpoint: ClaimedEndpoint) => {
      if (left.delete(endpoint)) this.#count(endpoint.accountId, -1);
    };
    try {
      const plans = await this.#plan(endpoints);
      await Promise.all(
        plans.map(async ({ endpoint, run }) => {
          const isDueNow = await run().catch((err) => this.#report(err));
          const hadNoRoom = this.#hasNoRoom(endpoint.accountId);
          end(endpoint);
          if ((isDueNow || hadNoRoom) && !this.#stopping.signal.aborted) this.wake();
        }),
      );
    } catch (err) {
      this.#report(err);
    } finally {
      for (const endpoint of [...left]) end(endpoint);
    }
  }

  #report(err: unknown): false {
    this.#options.logger?.warn({ err }, 'a webhook delivery failed and will be repeated');
    return false;
  }

  /** Reads what each endpoint gets, and stores it where it is sent for the first time. */
  async #plan(endpoints: readonly ClaimedEndpoint[]) {
    const { database, clock, baseUrl, eventRetentionDays } = this.#options;
    const at = clock();
    const cutoff = new Date(at.getTime() - eventRetentionDays * dayMilliseconds);
    const isAllowed = ({ clientType, scopes }: ClaimedEndpoint) =>
      clientType === 'confidential' && scopes.includes('reports:read');
    const pageOf = await readPages(database, endpoints.filter(isAllowed), { baseUrl, cutoff });
    const fresh: NewDelivery[] = [];
    const plans = endpoints.map((endpoint) => {
      const store = (outcome: EndpointOutcome) => ({ endpoint, run: () => this.#end(outcome) });
      if (!isAllowed(endpoint)) return store(paused(endpoint, { reason: 'access', at }));
      const page = pageOf(endpoint);
      if (page.kind === 'failed') return { endpoint, run: async () => this.#report(page.error) };
      if (page.kind === 'expired') return store(paused(endpoint, { reason: 'expired', at }));
      const { events, end, hasMore, body } = page;
      if (events.length === 0)
        return store(advanced(endpoint, { position: end, dueAt: hasMore ? at : null, attempt: null }));
      const deliveryId = endpoint.deliveryId ?? `msg_${randomId()}`;
      if (endpoint.deliveryId === null) fresh.push({ endpoint, deliveryId, end });
      const delivery = { deliveryId, end, hasMore, body, events: events.length };
      return { endpoint, run: () => this.#send(endpoint, delivery) };
    });
    await fixDeliveries(database, fresh);
    return plans;
  }

  /** @returns whether the endpoint is due again at once */
  async #send(
    endpoint: ClaimedEndpoint,
    {
      deliveryId,
      end,
      hasMore,
      body,
      events,
    }: { deliveryId: string; end: bigint; hasMore: boolean; body: string; events: number },
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
    if (attempt.isInterrupted) return this.#end(interrupted(endpoint, { deliveryId, end, at: clock() }));
    const delivered = isSuccess(attempt);
    observer?.onAttempt(delivered ? 'delivered' : 'failed');
    const { durationMs, status, error, response } = attempt;
    const stored: StoredAttempt = {
      ...{ deliveryId, lastPosition: end, events, attemptedAt, durationMs, status, error, response },
      firstPosition: endpoint.position + 1n,
    };
    const at = clock();
    return this.#end(
      delivered
        ? advanced(endpoint, { position: end, dueAt: hasMore ? at : null, attempt: stored })
        : failed(endpoint, { deliveryId, end, attempt, stored, at }),
    );
  }

  async #end(outcome: EndpointOutcome): Promise<boolean> {
    const stored = await this.#store(outcome);
    if (stored && outcome.pausedAt !== null)
      await this.#options.onPaused?.(outcome).catch((err) => this.#report(err));
    return stored && outcome.dueAt !== null && outcome.failures === 0;
  }
}

function isSuccess({ status }: Attempt): boolean {
  return status !== null && status >= 200 && status < 300;
}
