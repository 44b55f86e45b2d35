import { createPrivateKey } from 'node:crypto';
import type { JWK } from 'jose';
import { type ProofSettings, signProof } from '../http/dpop.js';
import { requestBytes } from './connection.js';
import { type FixedRequest, fixedRequests } from './fixed-requests.js';
import type { Load } from './load.js';

interface DpopInput {
  readonly requests: readonly FixedRequest[];
  readonly proofs: Omit<ProofSettings, 'privateKey'> & { readonly privateJwk: JWK };
}

/** Sends the same requests in turn, each time with a new DPoP proof. The nonce must be valid for as long as the load runs. */
export function dpopRequests({ requests, proofs: { privateJwk, ...settings } }: DpopInput): Load {
  const proofs = { ...settings, privateKey: createPrivateKey({ key: privateJwk, format: 'jwk' }) };
  return fixedRequests(
    { requests },
    (request) => () =>
      requestBytes({ ...request, headers: { ...request.headers, dpop: signProof(request, proofs) } }),
  );
}
