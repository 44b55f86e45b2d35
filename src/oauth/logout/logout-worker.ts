import { type ClaimLimits, ClaimWorker } from '../../platform/claim-worker.js';
import { epochSeconds } from '../../platform/clock.js';
import type { Config } from '../../platform/config/config.js';
import type { Core } from '../../platform/core.js';
import { randomId } from '../../platform/database/ids.js';
import type { Logger } from '../../platform/logger.js';
import { describeConnectionError } from '../../platform/network/connection-errors.js';
import { sendOutgoingRequest } from '../../platform/network/outgoing-request.js';
import { PrivateAddressError } from '../../platform/network/public-address.js';
import { isLocalUrl } from '../../platform/network/receiver-url.js';
import { type SigningKeys, signingAlgorithm } from '../keys/signing-keys.js';
import { signCompact } from '../tokens/jws.js';
import { type ClaimedNotice, claimNotices, deleteNotice, maximumAttempts } from './logout-notices.js';

/** Interval in which a process looks for notices that are due. */
export const logoutPollMilliseconds = 1_000;

/** Maximum number of concurrent attempts of this process. */
const maximumRunning = 50;

/** Milliseconds from the connection to the head of the response. */
const timeoutMilliseconds = 10_000;

/** The member of `events` that makes a token a logout token. */
const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout';

/** Seconds for which a logout token is valid. */
const lifetimeSeconds = 120;

export interface LogoutWorkerOptions extends Pick<Core, 'database' | 'clock'> {
  readonly config: Pick<Config, 'baseUrl' | 'production'>;
  readonly signingKeys: SigningKeys;
  readonly logger?: Logger;
  /** Maximum number of concurrent attempts for the applications of one account. Default: 5. */
  readonly maximumOfAccount?: number;
}

/**
 * Notifies applications that sessions have ended, in any process. A notice is claimed before it is sent: of several processes one sends
 * it. One that the application does not accept is sent again three times.
 *
 * @see OpenID Connect Back-Channel Logout 1.0 section 2.5
 */
export class LogoutWorker extends ClaimWorker<ClaimedNotice> {
  readonly #options: LogoutWorkerOptions;
  readonly #interrupting = new AbortController();

  constructor(options: LogoutWorkerOptions) {
    const { maximumOfAccount = 5, logger } = options;
    super({ maximumRunning, maximumOfAccount, name: 'back-channel logouts', logger });
    this.#options = options;
  }

  protected override claim(limits: ClaimLimits): Promise<ClaimedNotice[]> {
    const { database, clock } = this.#options;
    return claimNotices(database, { now: clock(), ...limits });
  }

  protected override accountOf({ owner }: ClaimedNotice): string {
    return owner;
  }

  /** An interrupted attempt is repeated as if it had failed. */
  protected override interrupt(): void {
    this.#interrupting.abort();
  }

  protected override async run(notice: ClaimedNotice): Promise<boolean> {
    await this.#attempt(notice).catch((err) =>
      this.#warn({ err }, 'a back-channel logout failed and will be retried'),
    );
    return false;
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
  async #send(url: URL, notice: ClaimedNotice): Promise<string | undefined> {
    const allowLocal = isLocalUrl(url) && !this.#options.config.production;
    if (url.protocol !== 'https:' && !allowLocal) return new PrivateAddressError().message;
    const timeout = AbortSignal.timeout(timeoutMilliseconds);
    try {
      const { status } = await sendOutgoingRequest(url, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({
          logout_token: this.#issueToken(notice),
        }).toString(),
        allowPrivate: allowLocal,
        maximumBytes: 0,
        signal: AbortSignal.any([timeout, this.#interrupting.signal]),
      });
      return status >= 200 && status < 300 ? undefined : `Status ${status}`;
    } catch (error) {
      if (timeout.aborted) return 'No response within 10 seconds';
      return describeConnectionError(error);
    }
  }

  /**
   * Signs a logout token. Its `typ` is neither that of access tokens nor of ID tokens.
   *
   * @see OpenID Connect Back-Channel Logout 1.0 section 2.4
   */
  #issueToken({ userId, sid, clientId }: ClaimedNotice): string {
    const { signingKeys, config, clock } = this.#options;
    const { kid, privateKey } = signingKeys.current;
    const issuedAt = epochSeconds(clock);
    const claims = {
      iss: config.baseUrl,
      sub: userId,
      aud: clientId,
      iat: issuedAt,
      exp: issuedAt + lifetimeSeconds,
      jti: randomId(),
      events: { [logoutEvent]: {} },
      sid,
    };
    return signCompact({ alg: signingAlgorithm, typ: 'logout+jwt', kid }, claims, privateKey);
  }

  #warn(details: object, message: string): void {
    this.#options.logger?.warn(details, message);
  }
}
