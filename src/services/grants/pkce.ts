import { createHash } from 'node:crypto';

/**
 * The S256 challenge of a code verifier. A code can be exchanged only when it was issued for the challenge of the verifier
 * that the client sends: `AuthorizationCodes.use` finds no other code.
 *
 * @see RFC 7636 sections 4.2 and 4.6
 */
export function codeChallengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}
