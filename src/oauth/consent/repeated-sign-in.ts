import type { Clock } from '../../platform/clock.js';
import { type AppSecrets, Signer } from '../../platform/crypto/keyring.js';

/** Time in which the user must sign in and decide. */
const validSeconds = 600;

/** The time, in milliseconds since the epoch, and its signature, at the end of the URL of an authorization request. */
const timestamp = /[?&]sign_in_after=(\d{13})\.([\w-]{43})$/;

interface SignedIn {
  readonly authenticatedAt: Date;
}

/**
 * Asks for a new sign-in for an authorization request. The URL of the request, to which the sign-in returns, then has a signed time;
 * a session is accepted when its user has signed in since. The signature is for this URL only.
 */
export class RepeatedSignIn {
  readonly #signer: Signer;
  readonly #clock: Clock;

  constructor({ appSecrets, clock }: { appSecrets: AppSecrets; clock: Clock }) {
    this.#signer = new Signer(appSecrets, 'repeated-sign-in');
    this.#clock = clock;
  }

  /** The URL of the request with the current time, which replaces an earlier one. */
  ask(url: string): string {
    const request = withoutTimestamp(url);
    const time = this.#clock().getTime();
    return `${request}&sign_in_after=${time}.${this.#signer.sign(textOf(request, time))}`;
  }

  /** Whether the user has signed in since the time of the URL. */
  isDone(url: string, { authenticatedAt }: SignedIn): boolean {
    const since = this.#timeOf(url);
    return since !== null && authenticatedAt.getTime() >= since;
  }

  /** Whether the URL asks for a new sign-in, which has not happened yet. */
  isPending(url: string, { authenticatedAt }: SignedIn): boolean {
    const since = this.#timeOf(url);
    return since !== null && authenticatedAt.getTime() < since;
  }

  /** `null` without a time, and when it is forged or has expired: the authorization endpoint then asks again. */
  #timeOf(url: string): number | null {
    const [, digits, signature = ''] = timestamp.exec(url) ?? [];
    const time = Number(digits);
    if (digits === undefined || this.#clock().getTime() - time > validSeconds * 1000) return null;
    return this.#signer.verifies(textOf(withoutTimestamp(url), time), signature) ? time : null;
  }
}

/** The parameter at the end of a URL that asks for a new sign-in; empty without one. The signature is not verified. */
export function signInTimeOf(url: string): string {
  return timestamp.exec(url)?.[0] ?? '';
}

/** Whether a URL asks for a new sign-in. The signature is not verified. */
export function asksForSignIn(url: string): boolean {
  return timestamp.test(url);
}

/** Normalized, because the URL is parsed on its way through the sign-in. */
function withoutTimestamp(url: string): string {
  const { pathname, search } = new URL(url, 'http://localhost');
  return `${pathname}${search}`.replace(timestamp, '');
}

function textOf(request: string, time: number): string {
  return `${time} ${request}`;
}
