import { randomBytes } from 'node:crypto';
import type { Clock } from '../../platform/clock.js';
import { type AppSecrets, Signer } from '../../platform/crypto/keyring.js';

/** The purpose of a challenge. */
export type PasskeyPurpose = 'add' | 'sign_in' | 'second_factor';

/** Lifetime of a challenge. The page with it may be open for this time. */
const lifetimeSeconds = 600;

/**
 * Challenges for passkeys. A challenge contains its time and a signature, so that nothing is stored for a page that is only
 * opened. It is bound to its purpose and to the CSRF token of the form, which belongs to one browser.
 *
 * @see Web Authentication, section 13.4.3
 */
export class PasskeyChallenges {
  readonly #signer: Signer;
  readonly #clock: Clock;

  constructor(appSecrets: AppSecrets, clock: Clock) {
    this.#signer = new Signer(appSecrets, 'passkey-challenges');
    this.#clock = clock;
  }

  create(purpose: PasskeyPurpose, csrfToken: string): Uint8Array<ArrayBuffer> {
    const content = `${this.#clock().getTime()}.${randomBytes(16).toString('base64url')}`;
    const signature = this.#signer.sign(signedText(content, purpose, csrfToken));
    return new TextEncoder().encode(`${content}.${signature}`);
  }

  /**
   * Verifies a challenge.
   *
   * @param challenge in base64url, as the browser returns it
   * @returns when the challenge was created; `null` when it is invalid or has expired
   */
  verify(challenge: string, purpose: PasskeyPurpose, csrfToken: string): Date | null {
    const text = Buffer.from(challenge, 'base64url').toString();
    const [time = '', random = '', signature = ''] = text.split('.', 3);
    if (!this.#signer.verifies(signedText(`${time}.${random}`, purpose, csrfToken), signature)) return null;
    const at = new Date(Number(time));
    return this.#clock().getTime() - at.getTime() < lifetimeSeconds * 1000 ? at : null;
  }
}

function signedText(content: string, purpose: PasskeyPurpose, csrfToken: string): string {
  return JSON.stringify([content, purpose, csrfToken]);
}
