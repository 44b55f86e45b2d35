import { generateKeyPairSync, sign } from 'node:crypto';

/**
 * Headers that say who calls, by how they must be judged.
 *
 * @param {{ good: string[], readOnly: string, foreign: string, expired: string }} tokens
 */
export function bearers(tokens) {
  const [head, payload, signature] = tokens.good[0].split('.');
  const decoded = JSON.parse(Buffer.from(payload, 'base64url'));
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = (input) =>
    `${input}.${sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
  const stretched = encode({ ...decoded, exp: decoded.exp + 1_000_000 });
  const bearer = (token) => ({ authorization: `Bearer ${token}` });
  return {
    good: tokens.good.map(bearer),
    readOnly: [bearer(tokens.readOnly)],
    foreign: [bearer(tokens.foreign)],
    bad: [
      {},
      { authorization: '' },
      { authorization: 'Bearer' },
      { authorization: `bearer  ${tokens.good[0]} x` },
      { authorization: `Basic ${Buffer.from('a:b').toString('base64')}` },
      { authorization: 'Digest username="x"' },
      bearer('x'),
      bearer('a.b.c'),
      bearer('x'.repeat(9000)),
      bearer(tokens.expired),
      bearer(`${head}.${stretched}.${signature}`),
      bearer(signed(`${head}.${payload}`)),
      bearer(signed(`${head}.${stretched}`)),
      bearer(`${encode({ alg: 'none', typ: 'at+jwt' })}.${payload}.`),
      bearer(`${encode({ alg: 'HS256', typ: 'at+jwt' })}.${payload}.${signature}`),
      bearer(`${head}.${payload}.${'A'.repeat(86)}`),
      bearer(`${head}.${payload}`),
    ],
  };
}
