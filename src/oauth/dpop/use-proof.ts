import type { Problem } from '../../platform/problems/problem.js';
import { invalidProof, type ProofRequest, type ProofVerifier } from './proof-verifier.js';
import type { UsedProofs } from './used-proofs.js';

/** `invalid_dpop_proof` of a proof that was used before. */
export function usedProof(): Problem {
  return invalidProof('The DPoP proof was already used. Create a proof with a new jti for each request.');
}

/**
 * Uses the DPoP proof of a request without an access token.
 *
 * @returns the thumbprint of its key
 * @throws {Problem} 400 `invalid_dpop_proof` or `use_dpop_nonce`
 * @see RFC 9449 sections 5 and 10.1
 */
export async function useProof(
  { verifier, used }: { readonly verifier: ProofVerifier; readonly used: UsedProofs },
  request: ProofRequest,
  onNextNonce: (nonce: string) => void,
): Promise<string> {
  const proof = await verifier.verify(request);
  if (proof.nextNonce !== undefined) onNextNonce(proof.nextNonce);
  if (!(await used.use(proof))) throw usedProof();
  return proof.jkt;
}
