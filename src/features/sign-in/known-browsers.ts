import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { normalizeEmail } from '../../platform/accounts/normalize.js';
import { type Clock, epochSeconds } from '../../platform/clock.js';
import { type AppSecrets, Signer } from '../../platform/crypto/keyring.js';
import { HostCookie } from '../../platform/http/host-cookie.js';

/** Lifetime in seconds from the last sign-in; browsers limit cookies to 400 days. */
export const knownSeconds = 400 * 86_400;

/** Maximum number of users in the cookie of a browser; the user who signed in least recently is removed. */
export const maximumKnownUsers = 5;

/** Content of the cookie: a random id of the browser and, newest first, a proof for each user. */
interface Knowledge {
  readonly browserId: string;
  readonly proofs: readonly Proof[];
}

interface Proof {
  /** Seconds since the epoch. */
  readonly issuedAt: number;
  readonly signature: string;
}

/**
 * Recognizes a browser from which a user has signed in before. Failed sign-ins of an attacker then do not lock the user
 * out of this browser.
 *
 * The cookie grants no access: the browser only has its own count of failures. Users are identified by an HMAC, which is
 * different in each browser.
 */
export class KnownBrowsers {
  readonly #signer: Signer;
  readonly #clock: Clock;
  readonly #cookie: HostCookie;

  constructor({ appSecrets, baseUrl, clock }: { appSecrets: AppSecrets; baseUrl: string; clock: Clock }) {
    this.#signer = new Signer(appSecrets, 'known-browsers');
    this.#clock = clock;
    this.#cookie = new HostCookie('known_browser', baseUrl, knownSeconds);
  }

  /**
   * Identifies browser and user if the user has signed in from this browser before.
   *
   * @param email as submitted
   * @returns key for counting failures; `null` for an unknown browser
   */
  find(request: FastifyRequest, email: string): string | null {
    const name = normalizeEmail(email);
    const { browserId, proofs } = this.#read(request);
    const oldest = epochSeconds(this.#clock) - knownSeconds;
    const valid = proofs.filter((proof) => this.#proves(browserId, name, proof) && proof.issuedAt > oldest);
    return valid.length === 0 ? null : `browser ${browserId} e-mail ${name}`;
  }

  /** Records in the cookie that a user has signed in from this browser. */
  remember(request: FastifyRequest, reply: FastifyReply, email: string): void {
    const name = normalizeEmail(email);
    const { browserId, proofs } = this.#read(request);
    const issuedAt = epochSeconds(this.#clock);
    const others = proofs.filter((proof) => !this.#proves(browserId, name, proof));
    const signature = this.#signer.sign(textOf(browserId, name, issuedAt));
    const kept = [{ issuedAt, signature }, ...others];
    const texts = kept.slice(0, maximumKnownUsers).map((proof) => `${proof.issuedAt}~${proof.signature}`);
    this.#cookie.set(reply, [browserId, ...texts].join('.'));
  }

  #read(request: FastifyRequest): Knowledge {
    const [, browserId, rest = ''] =
      /^([\w-]{22})((?:\.\d{10,11}~[\w-]{43}){1,5})$/.exec(this.#cookie.read(request) ?? '') ?? [];
    if (browserId === undefined) return { browserId: randomBytes(16).toString('base64url'), proofs: [] };
    const proofs = [...rest.matchAll(/(\d+)~([\w-]+)/g)].map(([, issuedAt, signature = '']) => {
      return { issuedAt: Number(issuedAt), signature };
    });
    return { browserId, proofs };
  }

  #proves(browserId: string, name: string, { issuedAt, signature }: Proof): boolean {
    return this.#signer.verifies(textOf(browserId, name, issuedAt), signature);
  }
}

function textOf(browserId: string, name: string, issuedAt: number): string {
  return `${browserId} ${issuedAt} ${name}`;
}
