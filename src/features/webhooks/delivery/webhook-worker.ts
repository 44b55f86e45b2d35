import { setTimeout as wait } from 'node:timers/promises';
import { dayMilliseconds } from '../../../platform/clock.js';
import type { Config } from '../../../platform/config/config.js';
import type { Core } from '../../../platform/core.js';
import type { Database } from '../../../platform/database/client.js';
import { allAccounts, withScope } from '../../../platform/database/scope.js';
import type { Logger } from '../../../platform/logger.js';
import { WebhookSecrets } from '../webhook-secrets.js';
import { type ClaimedEndpoint, claimEndpoints } from './claim-endpoints.js';
import {
  createPageReaders,
  EndpointDeliveries,
  type EndpointDeliveriesOptions,
  type ReadPage,
} from './endpoint-deliveries.js';
import { WebhookSender } from './webhook-sender.js';

/** Maximum number of concurrent deliveries of this process. */
const maximumRunning = 100;

/** The deliveries that run in this process. There is no queue: endpoints that are due wait in the database. */
class RunningDeliveries {
  readonly maximumOfAccount: number;
  readonly byAccount = new Map<string, number>();
  total = 0;

  /** @param maximumOfAccount number of them of one account, so that an account does not wait for all endpoints of another */
  constructor(maximumOfAccount: number) {
    this.maximumOfAccount = maximumOfAccount;
  }

  /** Number of deliveries that can be started. */
  get room(): number {
    return maximumRunning - this.total;
  }

  /** Whether due endpoints of the account may be waiting because of its limit. */
  hasNoRoom(accountId: string): boolean {
    return this.room <= 0 || (this.byAccount.get(accountId) ?? 0) >= this.maximumOfAccount;
  }

  /** Counts a delivery of the account that starts or ends. */
  count(accountId: string, change: 1 | -1): void {
    const count = (this.byAccount.get(accountId) ?? 0) + change;
    this.total += change;
    if (count === 0) this.byAccount.delete(accountId);
    else this.byAccount.set(accountId, count);
  }
}

/**
 * Makes the endpoints of accounts with new events due. The transaction that marks an event as noticed also makes its
 * endpoints due, so that no event is missed when a process stops. Without new events it is one statement.
 *
 * It does not wait for endpoints that another transaction has locked, which would delay all accounts: they are woken at the next
 * call.
 */
export function wakeEndpoints({ prisma }: Pick<Database, 'prisma'>, now: Date): Promise<void> {
  return withScope(allAccounts, async () => {
    const waiting = await prisma.$queryRaw<unknown[]>`SELECT 1 FROM webhook_wakeups LIMIT 1`;
    if (waiting.length === 0) return;
    await prisma.$transaction(async (tx) => {
      const woken = await tx.$queryRaw<
        { id: string }[]
      >`DELETE FROM webhook_wakeups RETURNING account_id AS id`;
      const accounts = [...new Set(woken.map(({ id }) => id))];
      if (accounts.length === 0) return;
      const locked = await tx.$queryRaw<{ id: string }[]>`
        WITH endpoint AS MATERIALIZED (
          SELECT account_id, id FROM webhook_endpoints WHERE account_id = ANY (${accounts}) AND paused_at IS NULL
        ), free AS MATERIALIZED (
          SELECT stored.account_id, stored.id FROM webhook_endpoints AS stored
          JOIN endpoint ON endpoint.account_id = stored.account_id AND endpoint.id = stored.id
          WHERE stored.paused_at IS NULL
          ORDER BY stored.account_id, stored.id FOR UPDATE OF stored SKIP LOCKED
        ), changed AS (
          UPDATE webhook_endpoints AS stored
          SET wakeups = stored.wakeups + 1, due_at = coalesce(stored.due_at, ${now})
          FROM free WHERE stored.account_id = free.account_id AND stored.id = free.id)
        SELECT DISTINCT account_id AS id FROM endpoint
        WHERE NOT EXISTS (SELECT FROM free WHERE free.account_id = endpoint.account_id AND free.id = endpoint.id)`;
      if (locked.length === 0) return;
      await tx.webhookWakeup.createMany({ data: locked.map(({ id }) => ({ accountId: id })) });
    });
  });
}

/** Interval in which a process looks for new events and endpoints that are due. */
export const webhookPollMilliseconds = 1_000;

/**
 * Milliseconds that a claim waits after a delivery, so that it is shared by deliveries that end meanwhile. In the benchmark
 * `webhook-deliveries-small`, the ratio is 0.28 without it and 0.42 with it.
 */
const claimDelayMilliseconds = 20;

/** Milliseconds for which a process that stops waits for responses. */
const stopMilliseconds = 5_000;

export interface WebhookWorkerOptions
  extends Pick<Core, 'database' | 'clock' | 'appSecrets'>,
    Pick<EndpointDeliveriesOptions, 'onPaused' | 'observer'> {
  readonly config: Pick<Config, 'baseUrl' | 'production' | 'eventRetentionDays'>;
  readonly logger?: Logger;
  /** Maximum number of concurrent deliveries of one account. Default: 20. */
  readonly maximumOfAccount?: number;
}

/** Sends new events to webhook endpoints, in any process. An endpoint has one delivery at a time, so that it gets events in order. */
export class WebhookWorker {
  readonly #options: WebhookWorkerOptions;
  readonly #sender: WebhookSender;
  readonly #deliveries: EndpointDeliveries;
  readonly #pageReaders: (cutoff: Date) => ReadPage;
  readonly #stopping = new AbortController();
  readonly #runs = new Set<Promise<void>>();
  readonly #running: RunningDeliveries;
  /** Claims run one after the other. */
  #claims: Promise<void> = Promise.resolve();
  /** Whether another claim is queued behind the running one. It also finds endpoints that become due meanwhile. */
  #isClaimQueued = false;

  constructor(options: WebhookWorkerOptions) {
    const { database, config, appSecrets } = options;
    this.#options = options;
    this.#running = new RunningDeliveries(options.maximumOfAccount ?? 20);
    this.#sender = new WebhookSender({ allowLocal: !config.production });
    this.#deliveries = new EndpointDeliveries({
      ...options,
      sender: this.#sender,
      secrets: new WebhookSecrets(appSecrets),
      onError: (error) => this.#report(error),
    });
    this.#pageReaders = createPageReaders(database, config.baseUrl);
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
    const timer = setTimeout(() => this.#sender.interrupt(), stopMilliseconds);
    await this.idle();
    clearTimeout(timer);
    await this.#sender.close();
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
        maximumOfAccount: this.#running.maximumOfAccount,
        running: this.#running.byAccount,
      });
      if (endpoints.length === 0) return;
      for (const { accountId } of endpoints) this.#running.count(accountId, 1);
      const run = this.#deliverAll(endpoints).finally(() => {
        this.#runs.delete(run);
      });
      this.#runs.add(run);
    }
  }

  /** Never rejects: a failed delivery is repeated when the lease expires. */
  async #deliverAll(endpoints: readonly ClaimedEndpoint[]): Promise<void> {
    const { clock, config } = this.#options;
    const retentionMs = config.eventRetentionDays * dayMilliseconds;
    const readPage = this.#pageReaders(new Date(clock().getTime() - retentionMs));
    await Promise.all(
      endpoints.map(async (endpoint) => {
        const { accountId } = endpoint;
        const isDueNow = await this.#deliveries
          .deliver(endpoint, readPage)
          .catch((error) => this.#report(error));
        const hadNoRoom = this.#running.hasNoRoom(accountId);
        this.#running.count(accountId, -1);
        if (isDueNow || hadNoRoom) this.#wake();
      }),
    );
  }

  #report(err: unknown): false {
    this.#options.logger?.warn({ err }, 'a webhook delivery failed and will be repeated');
    return false;
  }
}

/**
 * Returns the age in seconds of the oldest event that an endpoint waits for, of all accounts. Paused endpoints do not count.
 * Reads only endpoints that wait for an event or for the next attempt.
 */
export async function deliveryLagSeconds({ prisma }: Pick<Database, 'prisma'>, now: Date): Promise<number> {
  const [row] = await withScope(
    allAccounts,
    () => prisma.$queryRaw<{ oldest: Date | null }[]>`
      SELECT min(event.occurred_at) AS oldest
      FROM webhook_endpoints AS endpoint
      JOIN events AS event ON event.account_id = endpoint.account_id AND event.position = endpoint.position + 1
      WHERE endpoint.due_at IS NOT NULL AND endpoint.paused_at IS NULL`,
  );
  const oldest = row?.oldest ?? null;
  return oldest === null ? 0 : Math.max(0, (now.getTime() - oldest.getTime()) / 1000);
}
