import type { AccountId } from '../../platform/accounts/account-id.js';
import { ConcurrencyLimit } from '../../platform/limits/concurrency-limit.js';
import { retryLater } from '../../platform/problems/problem.js';

/** Requests of an account that wait for servers of partners concurrently. */
const maximumOfAccount = 5;

/** Seconds for which further requests are queued. */
const queueSeconds = 15;

/**
 * Limits the requests of an account, to the API and to pages, that wait for a name or a response of a webhook endpoint, which can
 * take seconds. They are not in the queue of all requests: an account whose endpoints do not respond would fill it.
 */
export class WebhookCallLimiter {
  readonly #limit = new ConcurrencyLimit(maximumOfAccount);

  /**
   * Waits for a slot of the account, and runs the work in it.
   *
   * @param signal aborts when the client disconnects
   * @throws {Problem} 429 `rate_limit_exceeded` when no slot is free in time
   */
  run<Result>(accountId: AccountId, signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    const detail = `An account has a limit of ${maximumOfAccount} concurrent requests that wait for webhook endpoints.`;
    const rejection = () => retryLater('rate_limit_exceeded', detail, queueSeconds);
    return this.#limit.run(accountId, { signal, waitMs: queueSeconds * 1000, rejection }, work);
  }
}
