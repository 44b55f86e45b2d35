import { createHash, type KeyObject, randomUUID, sign } from 'node:crypto';
import type { JWK } from 'jose';
import { baseUrl } from '../paths.js';
import type { HttpRequest } from './client.js';

export interface ProofSettings {
  readonly privateKey: KeyObject;
  readonly publicJwk: JWK;
  readonly nonce: string;
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Signs a DPoP proof with ES256 for a request, and for the access token of its header. @see RFC 9449 section 4.2 */
export function signProof(
  { method = 'GET', path, headers = {} }: HttpRequest,
  { privateKey, publicJwk, nonce }: ProofSettings,
): string {
  const [, accessToken] = headers.authorization?.split(' ') ?? [];
  const claims = {
    jti: randomUUID(),
    htm: method,
    htu: `${baseUrl}${path.split('?')[0]}`,
    iat: Math.floor(Date.now() / 1000),
    nonce,
    ...(accessToken !== undefined && { ath: createHash('sha256').update(accessToken).digest('base64url') }),
  };
  const input = `${encode({ typ: 'dpop+jwt', alg: 'ES256', jwk: publicJwk })}.${encode(claims)}`;
  const signature = sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `${input}.${signature.toString('base64url')}`;
}
