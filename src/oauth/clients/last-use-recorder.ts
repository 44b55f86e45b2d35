import { LRUCache } from 'lru-cache';
import type { AccountId } from '../../platform/accounts/account-id.js';
import type { Clock } from '../../platform/clock.js';
import type { Database } from '../../platform/database/client.js';
import { describeError } from '../../platform/database/database-errors.js';
import { accountScope, withScope } from '../../platform/database/scope.js';
import type { Logger } from '../../platform/logger.js';

/** Minimum time between two writes of the last use of a secret. */
const storeIntervalMilliseconds = 60_000;

/**
 * Stores when secrets were last used, so that an administrator knows whether an old one can be revoked. Requests do not wait
 * for the write. A failed write is logged, and the next use of the secret is stored instead.
 */
export class LastUseRecorder {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #logger: Pick<Logger, 'warn'>;
  /** Time of the last write by secret, in milliseconds since the epoch. */
  readonly #writtenAt = new LRUCache<string, number>({ max: 10_000 });
  readonly #pending = new Set<Promise<void>>();

  constructor(database: Database, clock: Clock, logger: Pick<Logger, 'warn'>) {
    this.#database = database;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Records that a secret has authenticated its application now. */
  record(accountId: AccountId, secretId: string): void {
    const now = this.#clock().getTime();
    const earlier = this.#writtenAt.get(secretId);
    if (earlier !== undefined && now - earlier < storeIntervalMilliseconds) return;
    this.#writtenAt.set(secretId, now);
    const written = withScope(accountScope(accountId), () => this.#write(accountId, secretId, now))
      .catch((error) => {
        this.#writtenAt.delete(secretId);
        const details = { account_id: accountId, secret_id: secretId, reason: describeError(error) };
        this.#logger.warn(details, 'the last use of a client secret was not stored');
      })
      .finally(() => this.#pending.delete(written));
    this.#pending.add(written);
  }

  /** Resolves when the recorded uses are stored or have failed. */
  async settled(): Promise<void> {
    await Promise.all(this.#pending);
  }

  /** Writes nothing when another process has stored a use within the interval. */
  async #write(accountId: AccountId, secretId: string, now: number): Promise<void> {
    await this.#database.prisma.$executeRaw`
      UPDATE application_secrets SET last_used_at = ${new Date(now)}
      WHERE account_id = ${accountId} AND id = ${secretId}
        AND (last_used_at IS NULL OR last_used_at <= ${new Date(now - storeIntervalMilliseconds)})`;
  }
}
