import { type KeyObject, sign } from 'node:crypto';

export interface JwsHeader {
  readonly alg: 'ES256';
  readonly typ: string;
  readonly kid: string;
}

/**
 * Signs claims with a P-256 key. The library does the same through a thread of its own at twice the cost, which is
 * most of what a token costs; it checks every token that is made here.
 *
 * @see RFC 7515 section 3.1 and RFC 7518 section 3.4
 */
export function signCompact(header: JwsHeader, claims: object, key: KeyObject): string {
  const input = `${encode(header)}.${encode(claims)}`;
  const signature = sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' });
  return `${input}.${signature.toString('base64url')}`;
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
