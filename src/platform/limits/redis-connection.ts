import { createClient } from '@redis/client';

/** The methods of a pino logger that counters use. */
export interface CounterLogger {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

/** Maximum delay between two attempts to reconnect, in milliseconds. */
const maximumRetryMs = 1000;

/** Maximum time that the start waits for Redis, in milliseconds. */
const openTimeoutMs = 1000;

/** A connection that reconnects automatically. Commands fail at once while it is not connected. */
export class RedisConnection {
  readonly client;
  readonly #logger: CounterLogger;
  #unavailable = false;
  #closed = false;

  /** @param onReady called after each connect and reconnect */
  constructor(url: string, { logger, onReady }: { logger: CounterLogger; onReady: () => void }) {
    this.#logger = logger;
    this.client = createClient({
      url,
      disableOfflineQueue: true,
      // Detects a server that accepts commands and does not respond: `socketTimeout` closes the connection.
      pingInterval: 2000,
      socket: {
        connectTimeout: 2000,
        socketTimeout: 4000,
        reconnectStrategy: (retries) => Math.min(50 * 2 ** retries, maximumRetryMs),
      },
    });
    this.client.on('error', (error: Error) => this.noteFailure(error));
    this.client.on('ready', () => {
      onReady();
      this.noteSuccess();
    });
  }

  /** Connects in the background, and waits for the connection up to a second. */
  async open(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise((resolve) => {
      timer = setTimeout(resolve, openTimeoutMs);
    });
    // The `error` event reports the failure.
    await Promise.race([this.client.connect().catch(() => undefined), timeout]);
    clearTimeout(timer);
  }

  /** Closes the connection. Pending commands fail. */
  close(): void {
    this.#closed = true;
    this.client.destroy();
  }

  /** Logs the first failure after a success. */
  noteFailure(error: Error): void {
    if (this.#unavailable || this.#closed) return;
    this.#unavailable = true;
    // The other properties of the error may contain the URL with its password.
    const reason = error.message;
    this.#logger.warn({ reason }, 'Redis is not available: each process counts in memory');
  }

  noteSuccess(): void {
    if (!this.#unavailable) return;
    this.#unavailable = false;
    this.#logger.info({}, 'Redis is available again: processes share their counts');
  }
}
