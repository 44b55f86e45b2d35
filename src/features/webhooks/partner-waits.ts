import type { AccountId } from '../../platform/accounts/account-id.js';
import { ConcurrencyLimit, QueueTimeoutError } from '../../platform/limits/concurrency-limit.js';
import { Problem } from '../../platform/problems/problem.js';

/** Requests of an account that wait for servers of partners concurrently. */
const maximumOfAccount = 5;

/** Seconds for which further requests are queued. */
const queueSeconds = 15;

/**
 * Limits the requests of an account, to the API and to pages, that wait for a name or a response of a webhook endpoint, which can
 * take seconds. They are not in the queue of all requests: an account whose endpoints do not respond would fill it.
 */
export class PartnerWaits {
  readonly #limit = new ConcurrencyLimit(maximumOfAccount);

  /**
   * Waits for a slot of the account, and runs the work in it.
   *
   * @param options.signal aborts when the client disconnects
   * @throws {Problem} 429 `rate_limit_exceeded` when no slot is free in time
   */
  async run<Result>(
    accountId: AccountId,
    { signal, work }: { signal: AbortSignal; work: () => Promise<Result> },
  ): Promise<Result> {
    const release = await this.#limit
      .acquire(accountId, { signal, waitMs: queueSeconds * 1000 })
      .catch(onTimeout);
    try {
      return await work();
    } finally {
      release();
    }
  }
}

function onTimeout(error: unknown): never {
  if (!(error instanceof QueueTimeoutError)) throw error;
  const detail = `An account has a limit of ${maximumOfAccount} concurrent requests that wait for webhook endpoints.`;
  throw new Problem('rate_limit_exceeded', `${detail} Try again in ${queueSeconds} seconds.`, {
    headers: { 'retry-after': String(queueSeconds) },
  });
}
