import { Secret, TOTP } from 'otpauth';

/** Seconds in which a code is valid, and the number of its digits. All authenticator apps have these defaults. */
const period = 30;
const digits = 6;

/** Codes of this many periods before and after the current one are accepted, because clocks differ. @see RFC 6238, section 5.2 */
const window = 1;

/** Size of a secret in bytes. @see RFC 4226, section 4 */
const secretBytes = 20;

/** Generates the secret of an authenticator app, in base32. */
export function newTotpSecret(): string {
  return new Secret({ size: secretBytes }).base32;
}

/** The URI that an authenticator app reads from a QR code. */
export function totpUri(secret: string, { issuer, email }: { issuer: string; email: string }): string {
  return new TOTP({ issuer, label: email, secret, period, digits }).toString();
}

/** Whether a text has the form of a code. */
export function isTotpCode(text: string): boolean {
  return /^\d{6}$/.test(text);
}

/**
 * Checks a code in constant time.
 *
 * @returns the number of the period that the code belongs to; `null` when the code is wrong
 * @see RFC 6238
 */
export function totpStep(secret: string, code: string, at: Date): number | null {
  const timestamp = at.getTime();
  const options = { secret: Secret.fromBase32(secret), period, digits, timestamp };
  const delta = TOTP.validate({ ...options, token: code, window });
  return delta === null ? null : TOTP.counter({ period, timestamp }) + delta;
}
