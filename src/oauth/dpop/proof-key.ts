import { constants, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { calculateJwkThumbprint, type JWK } from 'jose';
import { isAcceptedRsa, isPrivateKey } from '../clients/client-keys.js';

/**
 * Accepted algorithms of proofs, in the order of metadata and challenges. `Ed25519` is the name of `EdDSA` with this curve in RFC 9864.
 *
 * @see RFC 9449 section 4.2
 */
export const proofAlgorithms = ['ES256', 'PS256', 'EdDSA', 'Ed25519'] as const;

type ProofAlgorithm = (typeof proofAlgorithms)[number];

/** The public key of a proof. */
export interface ProofKey {
  /** Thumbprint of the key. @see RFC 7638 */
  readonly jkt: string;
  /** Whether the signature of a text is of this key. It is verified in the main thread, as that of an access token. */
  verifies(text: Buffer, signature: Buffer): boolean;
}

/**
 * Reads the key of a proof.
 *
 * @returns `undefined` for another algorithm, a private key, or a key that does not fit the algorithm
 */
export async function readProofKey(alg: unknown, jwk: unknown): Promise<ProofKey | undefined> {
  const algorithm = proofAlgorithms.find((known) => known === alg);
  if (algorithm === undefined || typeof jwk !== 'object' || jwk === null) return undefined;
  if (isPrivateKey(jwk)) return undefined;
  const key = importKey(jwk as JWK);
  if (key === undefined || !fits(algorithm, key)) return undefined;
  // Of the imported key, so that each key has one thumbprint, whatever the spelling of its members.
  const jkt = await calculateJwkThumbprint(key.export({ format: 'jwk' }) as JWK);
  return { jkt, verifies: (text, signature) => hasSignature(algorithm, key, text, signature) };
}

function importKey(jwk: JWK): KeyObject | undefined {
  try {
    return createPublicKey({ key: jwk, format: 'jwk' });
  } catch {
    return undefined;
  }
}

function fits(algorithm: ProofAlgorithm, { asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean {
  switch (algorithm) {
    case 'ES256':
      return asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1';
    case 'PS256':
      return asymmetricKeyType === 'rsa' && isAcceptedRsa(asymmetricKeyDetails);
    case 'EdDSA':
    case 'Ed25519':
      return asymmetricKeyType === 'ed25519';
  }
}

/** @see RFC 7518 sections 3.4 and 3.5, and RFC 8037 section 3.1 */
function hasSignature(algorithm: ProofAlgorithm, key: KeyObject, text: Buffer, signature: Buffer): boolean {
  switch (algorithm) {
    case 'ES256':
      return verify('sha256', text, { key, dsaEncoding: 'ieee-p1363' }, signature);
    case 'PS256':
      return verify(
        'sha256',
        text,
        { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 },
        signature,
      );
    case 'EdDSA':
    case 'Ed25519':
      return verify(null, text, key, signature);
  }
}
