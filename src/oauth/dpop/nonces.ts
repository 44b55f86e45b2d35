import { type Clock, epochSeconds } from '../../platform/clock.js';
import { type AppSecrets, Signer } from '../../platform/crypto/keyring.js';

/** Seconds for which a nonce is accepted after it was issued. */
export const nonceSeconds = 300;

/** Age in seconds from which a response replaces a nonce, so that a client in use never has an expired one. */
const replacedAfterSeconds = nonceSeconds / 2;

/** Seconds that the clock of another process may be ahead. */
const clockSkewSeconds = 60;

/**
 * Nonces of DPoP proofs. A nonce is the time at which it was issued and its signature: every process accepts those of the others,
 * and none is stored.
 *
 * @see RFC 9449 sections 8 and 9
 */
export class ProofNonces {
  readonly #signer: Signer;
  readonly #clock: Clock;
  /** The last nonce that was issued. All nonces of a second are the same. */
  #last = { issuedAt: Number.NaN, nonce: '' };

  constructor(secrets: AppSecrets, clock: Clock) {
    this.#signer = new Signer(secrets, 'dpop nonces');
    this.#clock = clock;
  }

  issue(): string {
    const issuedAt = epochSeconds(this.#clock);
    if (this.#last.issuedAt !== issuedAt) {
      const time = issuedAt.toString(36);
      this.#last = { issuedAt, nonce: `${time}.${this.#signer.sign(time)}` };
    }
    return this.#last.nonce;
  }

  /**
   * Checks a nonce.
   *
   * @returns the time of issue in seconds since the epoch, and whether a response should replace the nonce; `undefined` for one
   *   that is expired or was not issued by this server
   */
  check(nonce: string): { readonly issuedAt: number; readonly isOld: boolean } | undefined {
    const [, time = '', signature = ''] = /^([0-9a-z]{1,10})\.([\w-]{43})$/.exec(nonce) ?? [];
    const issuedAt = Number.parseInt(time, 36);
    const age = epochSeconds(this.#clock) - issuedAt;
    if (!(age < nonceSeconds && age >= -clockSkewSeconds)) return undefined;
    if (!this.#signer.verifies(time, signature)) return undefined;
    return { issuedAt, isOld: age >= replacedAfterSeconds };
  }
}
