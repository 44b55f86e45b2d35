import { LRUCache } from 'lru-cache';
import type { Clock } from '../../clock.js';
import type { Database } from '../../database/client.js';
import { accountScope, withScope } from '../../database/scope.js';
import type { AccountId } from '../account-id.js';

/** A secret's last use is written down at most this often. */
const intervalMilliseconds = 60_000;

/**
 * Stores when secrets were last used, so that an administrator knows whether an old one can be revoked. Requests do not wait
 * for it. A use that is lost with the process is replaced by the next one.
 */
export class SecretUse {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #noted = new LRUCache<string, number>({ max: 10_000 });
  readonly #pending = new Set<Promise<void>>();

  constructor(database: Database, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Takes note that a secret has just authenticated its application. */
  note(accountId: AccountId, secretId: string): void {
    const now = this.#clock().getTime();
    const earlier = this.#noted.get(secretId);
    if (earlier !== undefined && now - earlier < intervalMilliseconds) return;
    this.#noted.set(secretId, now);
    const written = withScope(accountScope(accountId), () => this.#write(accountId, secretId, now))
      .catch(() => void this.#noted.delete(secretId))
      .finally(() => this.#pending.delete(written));
    this.#pending.add(written);
  }

  /** Resolves when everything noted so far is in the database. */
  async settled(): Promise<void> {
    await Promise.all(this.#pending);
  }

  /** The condition is for the other processes, which note uses of the same secret. */
  async #write(accountId: AccountId, secretId: string, now: number): Promise<void> {
    await this.#database.prisma.$executeRaw`
      UPDATE application_secrets SET last_used_at = ${new Date(now)}
      WHERE account_id = ${accountId} AND id = ${secretId}
        AND (last_used_at IS NULL OR last_used_at <= ${new Date(now - intervalMilliseconds)})`;
  }
}
