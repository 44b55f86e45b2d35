import { createHash } from 'node:crypto';

/** The S256 challenge of a code verifier. @see RFC 7636 section 4.2 */
export function codeChallengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}
