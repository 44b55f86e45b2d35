/** Replacements for values that differ in each recording. */
const fixed = {
  request_id: '0f8d2c1e-6a55-4b7a-9a43-5d0f1c3b7e21',
  refresh_token: '8xLOxBtZp8yKm3vQ2wRfN5dGhJ7sTcUeY1aXb4Zk6Mo',
  occurred_at: '2026-11-02T09:30:00.000Z',
  webhook_id: 'msg_2c9h8d7s6a5k4j3h2g1f0e9d8',
  secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDx0qyzvGhIO8=',
  request_uri: 'urn:ietf:params:oauth:request_uri:6esc_11ACC5bwc014ltc14eY22c6esc_11ACC5bwc0A',
  nonce: 't5jzc0.ZP5JVFEhHmXCgDLfzQzrDFKkVjFlkGEg0Wm5bVAUmh0',
  kid: '9pQ3xW7b',
  x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
  y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
};

/** Makes recordings reproducible: the same request always has the same recording. */
export class Masks {
  /** Replacements by the text that they replace. */
  #texts = new Map();

  /** Replaces `text` by `shown` in every recording. */
  replace(text, shown) {
    this.#texts.set(text, shown);
  }

  /** Masks a body: members by name, and texts in all strings. */
  body(value, member = '') {
    if (Array.isArray(value)) return value.map((item) => this.body(item));
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, this.body(item, name)]));
    }
    if (member === 'duration_ms') return 82;
    if (typeof value !== 'string') return value;
    if (member in fixed) return fixed[member];
    if (member === 'access_token') return maskToken(value);
    return this.#text(value).replace(/Try again in \d+ seconds?/, 'Try again in 18 seconds');
  }

  /** Masks the headers of a response, by their names in lower case. */
  headers(headers) {
    return Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, maskHeader(name, this.#text(value))]),
    );
  }

  #text(value) {
    let masked = value;
    for (const [text, shown] of this.#texts) masked = masked.replaceAll(text, shown);
    return masked;
  }
}

/** Keeps the subject of a JSON Web Token, and its header without the key identifier. */
function maskToken(token) {
  const [header, claims] = token.split('.', 2).map((part) => JSON.parse(Buffer.from(part, 'base64url')));
  const { kid: _, ...type } = header;
  return [type, { sub: claims.sub }, 'signature'].map(encode).join('.');
}

function encode(part) {
  return Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');
}

function maskHeader(name, value) {
  if (name === 'x-request-id') return fixed.request_id;
  if (name === 'dpop-nonce') return fixed.nonce;
  if (name === 'retry-after') return '18';
  if (name === 'ratelimit') return value.replace(/r=\d+;t=\d+/, 'r=2871;t=42');
  return value;
}
