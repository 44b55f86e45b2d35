import { decodeJwt, decodeProtectedHeader, errors } from 'jose';
import { type SigningKeys, signingAlgorithm } from '../keys/signing-keys.js';
import { hasValidSignature } from './access-tokens.js';

/** Whom an ID token was issued to. */
export interface IdTokenHint {
  readonly subject: string;
  /** The public `client_id`. */
  readonly clientId: string;
}

/**
 * Reads an ID token that an application sends back. It may have expired. Its key must still be published.
 *
 * @returns `null` when this server has not issued it as an ID token
 * @see OpenID Connect RP-Initiated Logout 1.0 section 2
 */
export async function readIdTokenHint(
  token: string,
  { keys, issuer }: { keys: SigningKeys; issuer: string },
): Promise<IdTokenHint | null> {
  try {
    const { alg, kid, typ, crit } = decodeProtectedHeader(token);
    if (alg !== signingAlgorithm || typ !== 'JWT' || typeof kid !== 'string' || crit !== undefined)
      return null;
    const key = await keys.find(kid);
    if (key === undefined || !hasValidSignature(token, key)) return null;
    const { iss, sub, aud } = decodeJwt(token);
    const isComplete = iss === issuer && typeof sub === 'string' && typeof aud === 'string';
    return isComplete ? { subject: sub, clientId: aud } : null;
  } catch (error) {
    // jose throws a TypeError for a header that it cannot decode.
    if (error instanceof errors.JOSEError || error instanceof TypeError) return null;
    throw error;
  }
}
