/** A webhook that a receiver got. */
export interface RecordedWebhook {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What a receiver got so far. */
export interface ReceiverState {
  readonly deliveries: number;
  /** Deliveries that do not have the expected number of events. */
  readonly wrong: number;
  /** The first ones. Only if they are requested. */
  readonly recorded?: readonly RecordedWebhook[];
}
