import { setTimeout as wait } from 'node:timers/promises';
import type { DatabaseLogger } from '../../../platform/database/client.js';
import { type ClaimedEndpoint, claimEndpoints } from './claim-endpoints.js';
import { createPageReaders, type ReadPage } from './delivery-pages.js';
import { EndpointDeliveries, type EndpointDeliveriesOptions } from './endpoint-deliveries.js';
import { maximumOfAccount, RunningDeliveries } from './running-deliveries.js';
import { wakeEndpoints } from './wake-endpoints.js';

export type { DeliveryObserver } from './endpoint-deliveries.js';

/** Interval in which a process looks for new events and endpoints that are due. */
export const webhookPollMilliseconds = 1_000;

/**
 * Milliseconds that a claim waits after a delivery, so that it is shared by deliveries that end meanwhile. In the benchmark
 * `webhook-deliveries-small`, the ratio is 0.28 without it and 0.42 with it.
 */
const claimDelayMilliseconds = 20;

/** Milliseconds for which a process that stops waits for responses. */
const stopMilliseconds = 5_000;

const dayMilliseconds = 86_400_000;

export interface WebhookWorkerOptions extends Omit<EndpointDeliveriesOptions, 'onError'> {
  readonly baseUrl: string;
  readonly eventRetentionDays: number;
  readonly logger?: DatabaseLogger;
}

/** Sends new events to webhook endpoints, in any process. An endpoint has one delivery at a time, so that it gets events in order. */
export class WebhookWorker {
  readonly #options: WebhookWorkerOptions;
  readonly #deliveries: EndpointDeliveries;
  readonly #pageReaders: (cutoff: Date) => ReadPage;
  readonly #stopping = new AbortController();
  readonly #runs = new Set<Promise<void>>();
  readonly #running = new RunningDeliveries();
  /** Claims run one after the other. */
  #claims: Promise<void> = Promise.resolve();
  /** Whether another claim is queued behind the running one. It also finds endpoints that become due meanwhile. */
  #isClaimQueued = false;

  constructor(options: WebhookWorkerOptions) {
    this.#options = options;
    this.#deliveries = new EndpointDeliveries({ ...options, onError: (error) => this.#report(error) });
    this.#pageReaders = createPageReaders(options.database, options.baseUrl);
  }

  /** Number of deliveries that run in this process. */
  get running(): number {
    return this.#running.total;
  }

  /** Detects new events, and starts deliveries up to the limit of this process. */
  poll(): Promise<void> {
    const { database, clock } = this.#options;
    return this.#queueClaim(() => wakeEndpoints(database, clock()));
  }

  /** Resolves when no delivery runs in this process. */
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

  /** Looks for endpoints that are due without waiting for the result. */
  #wake(): void {
    if (this.#isClaimQueued || this.#stopping.signal.aborted) return;
    this.#queueClaim(() => wait(claimDelayMilliseconds)).catch((err) =>
      this.#options.logger?.warn({ err }, 'looking for webhooks failed and will be retried'),
    );
  }

  #queueClaim(before: () => Promise<void>): Promise<void> {
    this.#isClaimQueued = true;
    const claims = this.#claims.then(async () => {
      try {
        await before();
      } finally {
        this.#isClaimQueued = false;
        await this.#claimAll();
      }
    });
    this.#claims = claims.catch(() => {});
    return claims;
  }

  async #claimAll(): Promise<void> {
    const { database, clock } = this.#options;
    while (this.#running.room > 0 && !this.#stopping.signal.aborted) {
      const endpoints = await claimEndpoints(database, {
        now: clock(),
        maximum: this.#running.room,
        maximumOfAccount,
        running: this.#running.byAccount,
      });
      if (endpoints.length === 0) return;
      for (const { accountId } of endpoints) this.#running.add(accountId);
      const run = this.#deliverAll(endpoints).finally(() => {
        this.#runs.delete(run);
      });
      this.#runs.add(run);
    }
  }

  /** Never rejects: a failed delivery is repeated when the lease expires. */
  async #deliverAll(endpoints: readonly ClaimedEndpoint[]): Promise<void> {
    const { clock, eventRetentionDays } = this.#options;
    const readPage = this.#pageReaders(new Date(clock().getTime() - eventRetentionDays * dayMilliseconds));
    await Promise.all(
      endpoints.map(async (endpoint) => {
        const { accountId } = endpoint;
        const isDueNow = await this.#deliveries
          .deliver(endpoint, readPage)
          .catch((error) => this.#report(error));
        const hadNoRoom = this.#running.hasNoRoom(accountId);
        this.#running.remove(accountId);
        if (isDueNow || hadNoRoom) this.#wake();
      }),
    );
  }

  #report(err: unknown): false {
    this.#options.logger?.warn({ err }, 'a webhook delivery failed and will be repeated');
    return false;
  }
}
