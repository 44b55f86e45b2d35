/** A received webhook. */
export interface RecordedWebhook {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The webhooks that a receiver has received so far. */
export interface ReceiverState {
  readonly deliveries: number;
  /** Deliveries that do not have the expected number of events. */
  readonly wrong: number;
  /** The first webhooks, only on request. */
  readonly recorded?: readonly RecordedWebhook[];
}
