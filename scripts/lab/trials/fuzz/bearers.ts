import { generateKeyPairSync, sign } from 'node:crypto';

type Headers = Readonly<Record<string, string>>;

/** Authorization headers by their kind. */
export type Bearers = Readonly<Record<'valid' | 'readOnly' | 'foreign' | 'bad', readonly Headers[]>>;

export interface IssuedTokens {
  readonly valid: readonly string[];
  readonly readOnly: string;
  readonly foreign: string;
  readonly expired: string;
}

export function bearers(tokens: IssuedTokens): Bearers {
  const [token] = tokens.valid;
  const [head, payload, signature] = token.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signed = (input: string) => {
    const bytes = sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    return `${input}.${bytes.toString('base64url')}`;
  };
  const extended = encode({ ...claims, exp: claims.exp + 1_000_000 });
  return {
    valid: tokens.valid.map(bearer),
    readOnly: [bearer(tokens.readOnly)],
    foreign: [bearer(tokens.foreign)],
    bad: [
      {},
      { authorization: '' },
      { authorization: 'Bearer' },
      { authorization: `bearer  ${token} x` },
      { authorization: `Basic ${Buffer.from('a:b').toString('base64')}` },
      { authorization: 'Digest username="x"' },
      bearer('x'),
      bearer('a.b.c'),
      bearer('x'.repeat(9000)),
      bearer(tokens.expired),
      bearer(`${head}.${extended}.${signature}`),
      bearer(signed(`${head}.${payload}`)),
      bearer(signed(`${head}.${extended}`)),
      bearer(`${encode({ alg: 'none', typ: 'at+jwt' })}.${payload}.`),
      bearer(`${encode({ alg: 'HS256', typ: 'at+jwt' })}.${payload}.${signature}`),
      bearer(`${head}.${payload}.${'A'.repeat(86)}`),
      bearer(`${head}.${payload}`),
    ],
  };
}

function bearer(token: string): Headers {
  return { authorization: `Bearer ${token}` };
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
