import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';

/** The options of the page that an authenticator needs. */
export interface PasskeyOptions {
  readonly challenge: string;
  readonly rp?: { readonly id: string };
  readonly rpId?: string;
  readonly allowCredentials?: readonly { readonly id: string }[];
}

/** Differences of the response from a valid one. */
export interface Deviation {
  readonly origin?: string;
  readonly host?: string;
  readonly challenge?: string;
  /** Flags of the authenticator data. Default: user present and verified. */
  readonly flags?: number;
  readonly signCount?: number;
  readonly signature?: Buffer;
  readonly type?: string;
}

const present = 0x01;
const verified = 0x04;
const hasCredential = 0x40;

/** A passkey in software: an ES256 key without attestation. @see Web Authentication, sections 6.1 and 6.5 */
export class SoftwareAuthenticator {
  readonly #key: KeyObject;
  readonly #publicKey: KeyObject;
  readonly id: Buffer;
  readonly #origin: string;
  #signCount = 0;

  constructor(origin: string, id = randomBytes(16)) {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#key = privateKey;
    this.#publicKey = publicKey;
    this.#origin = origin;
    this.id = id;
  }

  /** The credential that a browser submits after creating a passkey, as JSON. */
  create(options: PasskeyOptions, deviation: Deviation = {}): string {
    const { x = '', y = '' } = this.#publicKey.export({ format: 'jwk' });
    const coseKey = Buffer.concat([
      Buffer.from('a5010203262001215820', 'hex'),
      Buffer.from(x, 'base64url'),
      Buffer.from('225820', 'hex'),
      Buffer.from(y, 'base64url'),
    ]);
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.id.length);
    const data = Buffer.concat([
      this.#data(options, { flags: present | verified | hasCredential, ...deviation }),
      Buffer.alloc(16),
      length,
      this.id,
      coseKey,
    ]);
    const size = Buffer.alloc(2);
    size.writeUInt16BE(data.length);
    // { fmt: "none", attStmt: {}, authData: data }
    const attestationObject = Buffer.concat([
      Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746159', 'hex'),
      size,
      data,
    ]);
    return this.#credential({
      clientDataJSON: this.#clientData('webauthn.create', options, deviation).toString('base64url'),
      attestationObject: attestationObject.toString('base64url'),
      transports: ['internal', 'invented'],
    });
  }

  /** The credential that a browser submits after using the passkey, as JSON. */
  use(options: PasskeyOptions, deviation: Deviation = {}): string {
    this.#signCount += 1;
    const data = this.#data(options, { signCount: this.#signCount, ...deviation });
    const clientData = this.#clientData('webauthn.get', options, deviation);
    const signed = Buffer.concat([data, createHash('sha256').update(clientData).digest()]);
    const signature = deviation.signature ?? createSign('sha256').update(signed).sign(this.#key);
    return this.#credential({
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: signature.toString('base64url'),
    });
  }

  #data(
    { rp, rpId }: PasskeyOptions,
    { host, flags = present | verified, signCount = 0 }: Deviation,
  ): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(signCount);
    const id = host ?? rp?.id ?? rpId ?? '';
    return Buffer.concat([createHash('sha256').update(id).digest(), Buffer.from([flags]), count]);
  }

  #clientData(type: string, options: PasskeyOptions, deviation: Deviation): Buffer {
    const { challenge = options.challenge, origin = this.#origin } = deviation;
    return Buffer.from(
      JSON.stringify({ type: deviation.type ?? type, challenge, origin, crossOrigin: false }),
    );
  }

  #credential(response: object): string {
    const id = this.id.toString('base64url');
    return JSON.stringify({ id, rawId: id, type: 'public-key', clientExtensionResults: {}, response });
  }
}

/** The options for the browser in the form of a page. */
export function passkeyOptionsOn(html: string): PasskeyOptions {
  const [, options] = /data-options="([^"]*)"/.exec(html) ?? [];
  if (options === undefined) throw new Error('The page has no form for a passkey');
  return JSON.parse(options.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&'));
}
