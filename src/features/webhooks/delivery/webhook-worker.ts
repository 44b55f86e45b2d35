import { type ClaimLimits, ClaimWorker } from '../../../platform/claim-worker.js';
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

export interface WebhookWorkerOptions
  extends Pick<Core, 'database' | 'clock' | 'appSecrets'>,
    Pick<EndpointDeliveriesOptions, 'onPaused' | 'observer'> {
  readonly config: Pick<Config, 'baseUrl' | 'production' | 'eventRetentionDays'>;
  readonly logger?: Logger;
  /** Maximum number of concurrent deliveries of one account. Default: 20. */
  readonly maximumOfAccount?: number;
}

/** An endpoint, and the function that reads its events. Endpoints that were claimed together share what it reads. */
interface Delivery extends ClaimedEndpoint {
  readonly readPage: ReadPage;
}

/** Sends new events to webhook endpoints, in any process. An endpoint has one delivery at a time, so that it gets events in order. */
export class WebhookWorker extends ClaimWorker<Delivery> {
  readonly #options: WebhookWorkerOptions;
  readonly #sender: WebhookSender;
  readonly #deliveries: EndpointDeliveries;
  readonly #pageReaders: (cutoff: Date) => ReadPage;

  constructor(options: WebhookWorkerOptions) {
    const { database, config, appSecrets, maximumOfAccount = 20, logger } = options;
    super({ maximumRunning, maximumOfAccount, claimDelayMilliseconds, name: 'webhooks', logger });
    this.#options = options;
    this.#sender = new WebhookSender({ allowLocal: !config.production });
    this.#deliveries = new EndpointDeliveries({
      ...options,
      sender: this.#sender,
      secrets: new WebhookSecrets(appSecrets),
      onError: (error) => this.#report(error),
    });
    this.#pageReaders = createPageReaders(database, config.baseUrl);
  }

  /** Detects new events. */
  protected override beforePoll(): Promise<void> {
    const { database, clock } = this.#options;
    return wakeEndpoints(database, clock());
  }

  protected override async claim(limits: ClaimLimits): Promise<Delivery[]> {
    const { database, clock, config } = this.#options;
    const endpoints = await claimEndpoints(database, { now: clock(), ...limits });
    const retentionMs = config.eventRetentionDays * dayMilliseconds;
    const readPage = this.#pageReaders(new Date(clock().getTime() - retentionMs));
    return endpoints.map((endpoint) => ({ ...endpoint, readPage }));
  }

  /** A failed delivery is repeated when the lease expires. */
  protected override async run({ readPage, ...endpoint }: Delivery): Promise<boolean> {
    return await this.#deliveries.deliver(endpoint, readPage).catch((error) => this.#report(error));
  }

  /** Other processes repeat interrupted attempts at once. */
  protected override interrupt(): void {
    this.#sender.interrupt();
  }

  override async stop(): Promise<void> {
    await super.stop();
    await this.#sender.close();
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
