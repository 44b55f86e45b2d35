import { createClient } from '@redis/client';

/** The part of a pino logger that counting uses. */
export interface CounterLogger {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

/** Longest wait between two attempts to connect again. */
const maximumRetryMs = 1000;

/** How long the start waits for Redis before it goes on without. */
const openingPatienceMs = 1000;

/** One connection, which comes back by itself, and on which nothing waits for it to come back. */
export class RedisConnection {
  readonly client;
  readonly #logger: CounterLogger;
  #away = false;
  #closed = false;

  /** @param onReady is called whenever there is a connection, also after it was lost */
  constructor(url: string, { logger, onReady }: { logger: CounterLogger; onReady: () => void }) {
    this.#logger = logger;
    this.client = createClient({
      url,
      disableOfflineQueue: true,
      // A server that takes requests and answers none is noticed: its silence ends the connection.
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

  /** Connects, however long that takes; waits for it only briefly. */
  async open(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise((resolve) => {
      timer = setTimeout(resolve, openingPatienceMs);
    });
    // Whatever fails here was told as an event.
    await Promise.race([this.client.connect().catch(() => undefined), patience]);
    clearTimeout(timer);
  }

  /** Ends it at once; what was under way fails. */
  close(): void {
    this.#closed = true;
    this.client.destroy();
  }

  /** Says once that Redis is away, however many requests notice it. */
  noteFailure(error: Error): void {
    if (this.#away || this.#closed) return;
    this.#away = true;
    // The message alone: the rest of such an error may hold the address with its password.
    const reason = error.message;
    this.#logger.warn({ reason }, 'Redis is away: each process counts for itself until it is back');
  }

  noteSuccess(): void {
    if (!this.#away) return;
    this.#away = false;
    this.#logger.info({}, 'Redis is back: all processes count together again');
  }
}
