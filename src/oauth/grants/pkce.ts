import { createHash } from 'node:crypto';

/**
 * Computes the S256 code challenge of a code verifier. `AuthorizationCodes.use` finds only codes with this challenge.
 *
 * @see RFC 7636 sections 4.2 and 4.6
 */
export function codeChallengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}
