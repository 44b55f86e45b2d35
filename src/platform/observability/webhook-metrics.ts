import { Counter, Gauge, type Registry } from 'prom-client';

/** State of the deliveries, which is read for each response of the metrics server. */
export interface DeliveryState {
  /** Deliveries in progress in this process. */
  running(): number;
  /** Age in seconds of the oldest event that an endpoint of any account waits for; 0: none waits. */
  lagSeconds(): Promise<number>;
}

/** Metrics of webhook deliveries. */
export class WebhookMetrics {
  readonly #registry: Registry;
  readonly #deliveries: Counter<'outcome'>;

  constructor(registry: Registry) {
    this.#registry = registry;
    this.#deliveries = new Counter({
      name: 'people_webhook_deliveries_total',
      help: 'Attempts to deliver webhooks, by outcome: "delivered" or "failed".',
      labelNames: ['outcome'],
      registers: [registry],
    });
  }

  /** Counts an attempt. */
  onAttempt(outcome: 'delivered' | 'failed'): void {
    this.#deliveries.inc({ outcome });
  }

  /** Adds the gauges. */
  watch({ running, lagSeconds }: DeliveryState): void {
    new Gauge({
      name: 'people_webhook_deliveries_in_flight',
      help: 'Webhook deliveries in progress.',
      registers: [this.#registry],
      collect() {
        this.set(running());
      },
    });
    new Gauge({
      name: 'people_webhook_lag_seconds',
      help: 'Age of the oldest event that an endpoint which is not paused waits for. All processes report the same value.',
      registers: [this.#registry],
      async collect() {
        // The other metrics are also needed when the database is not available.
        this.set(await lagSeconds().catch(() => Number.NaN));
      },
    });
  }
}
