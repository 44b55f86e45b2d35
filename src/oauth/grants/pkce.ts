import { createHash } from 'node:crypto';
import { Prisma } from '../../platform/database/client.js';

/*
 * Proof Key for Code Exchange: a code is exchanged with the verifier whose challenge was in the authorization request. The contract
 * states the form of both. S256 is the only method that is accepted.
 */

/** Computes the S256 code challenge of a code verifier. @see RFC 7636 sections 4.2 and 4.6 */
export function codeChallengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

/** The condition of SQL that the challenge of `code` is that of the verifier. The statement that consumes the code contains it. */
export function matchesVerifier(verifier: string): Prisma.Sql {
  return Prisma.sql`code.code_challenge = ${codeChallengeOf(verifier)}`;
}

/** Whether the verifier belongs to a code that has been read. */
export function isVerifierOf(
  { codeChallenge }: { readonly codeChallenge: string },
  verifier: string,
): boolean {
  return codeChallenge === codeChallengeOf(verifier);
}
