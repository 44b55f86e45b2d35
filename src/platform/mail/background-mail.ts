import type { DatabaseLogger } from '../database/client.js';
import { describeError } from '../database/database-errors.js';
import { ConcurrencyLimit } from '../limits/concurrency-limit.js';

/** Mails that wait at most; further ones are dropped. It bounds the memory that they take. */
const maximumWaiting = 1_000;

/** Mail that is sent after the response, so that neither its time nor a failure affects the action. */
export class BackgroundMail {
  readonly #logger: Pick<DatabaseLogger, 'warn'>;
  readonly #limit = new ConcurrencyLimit(2);
  readonly #pending = new Set<Promise<void>>();

  constructor(logger: Pick<DatabaseLogger, 'warn'>) {
    this.#logger = logger;
  }

  /** Returns at once. A failure is logged. */
  add(send: () => Promise<void>): void {
    if (this.#pending.size >= maximumWaiting) return;
    const sent: Promise<void> = this.#limit
      .run('', {}, send)
      .catch((error) => this.#logger.warn({ reason: describeError(error) }, 'a mail was not sent'))
      .finally(() => this.#pending.delete(sent));
    this.#pending.add(sent);
  }

  /** Resolves when all mails are sent or have failed. */
  async settled(): Promise<void> {
    await Promise.all(this.#pending);
  }
}
