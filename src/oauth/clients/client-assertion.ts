import {
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  jwtVerify,
} from 'jose';
import type { Core } from '../../platform/core.js';
import { hashSecret } from '../../platform/crypto/keyring.js';
import { assertionAlgorithms, type ClientKeySet, type ClientKeys } from './client-keys.js';
import type { KeySets } from './key-sets.js';

/** Value of `client_assertion_type`. @see RFC 7523 section 2.2 */
export const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Maximum difference between the clocks of the client and of this server, in seconds. */
const clockSkewSeconds = 30;

/** Maximum time from now, or from `iat`, to `exp`, in seconds. */
const maximumLifetimeSeconds = 300;

const maximumJti = 255;

/** Values of `typ`. Another one is of a token with another purpose. @see RFC 8725 section 3.11 */
const types = [undefined, 'JWT', 'client-authentication+jwt'];

interface Dependencies extends Pick<Core, 'database' | 'clock'> {
  readonly keySets: KeySets;
  /** Values of `aud`: the issuer, the token endpoint, and the endpoint of pushed requests (RFC 9126 section 2). */
  readonly audiences: readonly string[];
}

/** Verifies client assertions, and accepts each one once. @see RFC 7523 section 3 and RFC 7521 section 4.2 */
export class ClientAssertions {
  readonly #dependencies: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Verifies an assertion of this client and consumes it: of concurrent uses, in all processes, exactly one succeeds.
   *
   * @returns whether it authenticates the client. The reason of a rejection is not reported: it would help to forge assertions.
   */
  async consume(assertion: string, client: ClientKeys & { readonly clientId: string }): Promise<boolean> {
    try {
      const keys = await this.#keysOf(client, decodeProtectedHeader(assertion).kid);
      if (keys === null) return false;
      const { clientId } = client;
      const { audiences, clock } = this.#dependencies;
      const { payload, protectedHeader } = await jwtVerify(
        assertion,
        createLocalJWKSet({ keys: keys.keys.map((key) => ({ ...key })) }),
        {
          algorithms: [...assertionAlgorithms],
          issuer: clientId,
          subject: clientId,
          audience: [...audiences],
          requiredClaims: ['jti', 'exp'],
          clockTolerance: clockSkewSeconds,
          currentDate: clock(),
        },
      );
      if (!types.includes(protectedHeader.typ) || !this.#hasValidClaims(payload)) return false;
      return await this.#useOnce(clientId, payload);
    } catch (error) {
      // jose reports a header that is no object as a TypeError.
      if (error instanceof errors.JOSEError || error instanceof TypeError) return false;
      throw error;
    }
  }

  async #keysOf({ jwks, jwksUri }: ClientKeys, kid: string | undefined): Promise<ClientKeySet | null> {
    if (jwksUri === null) return jwks;
    const has = ({ keys }: ClientKeySet) => kid === undefined || keys.some((key) => key.kid === kid);
    return this.#dependencies.keySets.find(jwksUri, has);
  }

  /** Checks what jose does not: all audiences, the lifetime and the length of `jti`. */
  #hasValidClaims({ aud, exp = 0, iat, jti }: JWTPayload): boolean {
    const { audiences, clock } = this.#dependencies;
    const now = clock().getTime() / 1000;
    if (![aud].flat().every((one) => one !== undefined && audiences.includes(one))) return false;
    if (typeof jti !== 'string' || jti === '' || jti.length > maximumJti) return false;
    if (exp > now + maximumLifetimeSeconds + clockSkewSeconds) return false;
    return iat === undefined || (iat <= now + clockSkewSeconds && exp - iat <= maximumLifetimeSeconds);
  }

  async #useOnce(clientId: string, { jti, exp = 0 }: JWTPayload): Promise<boolean> {
    const key = hashSecret(`${clientId} ${jti}`);
    const expiresAt = new Date((exp + clockSkewSeconds) * 1000);
    const used = await this.#dependencies.database.prisma.$executeRaw`
      INSERT INTO client_assertions (key, expires_at) VALUES (${key}, ${expiresAt}) ON CONFLICT (key) DO NOTHING`;
    return used === 1;
  }
}

/** The client that an assertion names, before it is verified; `undefined` when it names none. @see RFC 7521 section 4.2 */
export function clientNamedBy(assertion: string): string | undefined {
  try {
    const { sub } = decodeJwt(assertion);
    return typeof sub === 'string' && sub !== '' ? sub : undefined;
  } catch {
    return undefined;
  }
}
