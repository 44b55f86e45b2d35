import type { Config } from '../../platform/config/config.js';
import type { Core } from '../../platform/core.js';
import type { Logger } from '../../platform/logger.js';
import { describeConnectionError } from '../../platform/network/connection-errors.js';
import { sendOutgoingRequest } from '../../platform/network/outgoing-request.js';
import { PrivateAddressError, UnresolvedHostError } from '../../platform/network/public-address.js';
import { isLocalUrl } from '../../platform/network/receiver-url.js';
import type { SigningKeys } from '../keys/signing-keys.js';
import { type ClaimedNotice, claimNotices, deleteNotice, maximumAttempts } from './logout-notices.js';
import { LogoutTokens } from './logout-tokens.js';

/** Interval in which a process looks for notices that are due. */
export const logoutPollMilliseconds = 1_000;

/** Maximum number of concurrent attempts of this process. */
const maximumRunning = 50;

/** Milliseconds from the connection to the head of the response. */
const timeoutMilliseconds = 10_000;

/** Milliseconds for which a process that stops waits for responses. */
const stopMilliseconds = 5_000;

export interface LogoutWorkerOptions extends Pick<Core, 'database' | 'clock'> {
  readonly config: Pick<Config, 'baseUrl' | 'production'>;
  readonly signingKeys: SigningKeys;
  readonly logger?: Logger;
  /** Maximum number of concurrent attempts for the applications of one account. Default: 5. */
  readonly maximumOfOwner?: number;
}

/**
 * Notifies applications that sessions have ended, in any process. A notice is claimed before it is sent: of several processes one sends
 * it. One that the application does not accept is sent again three times.
 *
 * @see OpenID Connect Back-Channel Logout 1.0 section 2.5
 */
export class LogoutWorker {
  readonly #options: LogoutWorkerOptions;
  readonly #maximumOfOwner: number;
  readonly #tokens: LogoutTokens;
  /** Number of running attempts, by the account that has registered the application. */
  readonly #running = new Map<string, number>();
  readonly #attempts = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #interrupting = new AbortController();
  /** Claims run one after the other. */
  #claims: Promise<void> = Promise.resolve();
  /** The claim that waits for the running one. It finds all that is due meanwhile. */
  #queued: Promise<void> | undefined;

  constructor(options: LogoutWorkerOptions) {
    const { signingKeys, config, clock } = options;
    this.#options = options;
    this.#maximumOfOwner = options.maximumOfOwner ?? 5;
    this.#tokens = new LogoutTokens(signingKeys, { issuer: config.baseUrl, clock });
  }

  /** Starts the attempts that are due, up to the limits of this process. */
  poll(): Promise<void> {
    this.#queued ??= this.#claims.then(() => {
      this.#queued = undefined;
      return this.#claim();
    });
    this.#claims = this.#queued.catch(() => {});
    return this.#queued;
  }

  /** Resolves when no attempt runs in this process. */
  async idle(): Promise<void> {
    await this.#claims;
    while (this.#attempts.size > 0) {
      await Promise.all(this.#attempts);
      await this.#claims;
    }
  }

  /** Stops after the running attempts, or interrupts them after a few seconds. They are repeated as if they had failed. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    const timer = setTimeout(() => this.#interrupting.abort(), stopMilliseconds);
    await this.idle();
    clearTimeout(timer);
  }

  async #claim(): Promise<void> {
    const { database, clock } = this.#options;
    while (this.#attempts.size < maximumRunning && !this.#stopping.signal.aborted) {
      const notices = await claimNotices(database, {
        now: clock(),
        maximum: maximumRunning - this.#attempts.size,
        maximumOfOwner: this.#maximumOfOwner,
        running: this.#running,
      });
      if (notices.length === 0) return;
      for (const notice of notices) this.#start(notice);
    }
  }

  #start(notice: ClaimedNotice): void {
    const { owner } = notice;
    this.#running.set(owner, (this.#running.get(owner) ?? 0) + 1);
    const attempt = this.#attempt(notice)
      .catch((err) => this.#warn({ err }, 'a back-channel logout failed and will be retried'))
      .finally(() => {
        const count = this.#running.get(owner) ?? 0;
        const hadNoRoom = this.#attempts.size >= maximumRunning || count >= this.#maximumOfOwner;
        this.#attempts.delete(attempt);
        if (count > 1) this.#running.set(owner, count - 1);
        else this.#running.delete(owner);
        // Others may be waiting because of the limit.
        if (hadNoRoom)
          this.poll().catch((err) =>
            this.#warn({ err }, 'looking for back-channel logouts failed and will be retried'),
          );
      });
    this.#attempts.add(attempt);
  }

  async #attempt(notice: ClaimedNotice): Promise<void> {
    const { database } = this.#options;
    const { accountId, applicationId, uri, attempts } = notice;
    const error = uri === null ? undefined : await this.#send(new URL(uri), notice);
    // The process stops: another one repeats it.
    if (error !== undefined && this.#interrupting.signal.aborted) return;
    if (error !== undefined && attempts < maximumAttempts) return;
    if (error !== undefined)
      this.#warn({ accountId, applicationId, error }, 'a back-channel logout failed and will not be retried');
    await deleteNotice(database, notice);
  }

  /**
   * Sends a logout token. The body of the response is not read.
   *
   * @returns why the application did not accept it; `undefined` when it did
   */
  async #send(url: URL, { userId, sid, clientId }: ClaimedNotice): Promise<string | undefined> {
    const allowLocal = isLocalUrl(url) && !this.#options.config.production;
    if (url.protocol !== 'https:' && !allowLocal) return new PrivateAddressError().message;
    const timeout = AbortSignal.timeout(timeoutMilliseconds);
    try {
      const { status } = await sendOutgoingRequest(url, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({
          logout_token: this.#tokens.issue({ subject: userId, sid, clientId }),
        }).toString(),
        allowPrivate: allowLocal,
        maximumBytes: 0,
        signal: AbortSignal.any([timeout, this.#interrupting.signal]),
      });
      return status >= 200 && status < 300 ? undefined : `Status ${status}`;
    } catch (error) {
      if (timeout.aborted) return 'No response within 10 seconds';
      if (error instanceof PrivateAddressError || error instanceof UnresolvedHostError) return error.message;
      return describeConnectionError(error);
    }
  }

  #warn(details: object, message: string): void {
    this.#options.logger?.warn(details, message);
  }
}
