import { type AsymmetricKeyDetails, createPublicKey, type JsonWebKeyInput } from 'node:crypto';
import { isObject, isStorableText, parseUrl } from '../../platform/contract/outside-text.js';

/** Signature algorithms of client assertions. `Ed25519` is the name of `EdDSA` with this curve in RFC 9864. */
export const assertionAlgorithms = ['ES256', 'PS256', 'EdDSA', 'Ed25519'];

/** A public key, with the members that this server uses. */
interface ClientKey {
  readonly kty: 'EC' | 'RSA' | 'OKP';
  readonly kid?: string;
  readonly alg?: string;
  readonly crv?: string;
  readonly x?: string;
  readonly y?: string;
  readonly n?: string;
  readonly e?: string;
}

/** A JSON Web Key Set with 1 to 20 public keys. */
export interface ClientKeySet {
  readonly keys: readonly ClientKey[];
}

/** The keys with which a client authenticates: a set, or its URL. Both are `null` for a client with a secret or without authentication. */
export interface ClientKeys {
  readonly jwks: ClientKeySet | null;
  readonly jwksUri: string | null;
}

/** Whether a client authenticates with its keys. */
export function usesKeys({ jwks, jwksUri }: ClientKeys): boolean {
  return jwks !== null || jwksUri !== null;
}

/** A key set is not valid. `message` is a sentence for its developer, without text of the set. */
export class ClientKeysError extends Error {
  override readonly name = 'ClientKeysError';
}

const maximumKeys = 20;

/** Maximum length of the URL of a key set, in characters. */
const maximumKeySetUrl = 2000;

/** Bits of the modulus of an RSA key. OpenSSL takes longer for each bit of a key, which its owner chooses. @see RFC 7518 section 3.5 */
const modulusBits = { minimum: 2048, maximum: 4096 };

/** The usual exponent. One of thousands of bits makes a verification as slow as a signature. */
const exponent = 65_537n;

/** Whether an RSA key has an accepted length and exponent. */
export function isAcceptedRsa({ modulusLength = 0, publicExponent }: AsymmetricKeyDetails = {}): boolean {
  const { minimum, maximum } = modulusBits;
  return modulusLength >= minimum && modulusLength <= maximum && publicExponent === exponent;
}

/** Members of a JSON Web Key that make it a private or symmetric one. @see RFC 7518 sections 6.2.2, 6.3.2 and 6.4.1 */
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv'];

/** The members of each type of key. @see RFC 7518 sections 6.2.1 and 6.3.1, and RFC 8037 section 2 */
const publicMembers = { EC: ['crv', 'x', 'y'], RSA: ['n', 'e'], OKP: ['crv', 'x'] } as const;

const algorithms = { EC: ['ES256'], RSA: ['PS256'], OKP: ['EdDSA', 'Ed25519'] } as const;

/**
 * Validates a JSON Web Key Set, and selects the keys that can sign assertions. Keys for encryption, of other algorithms and of other
 * types are ignored: a set often has some for other servers.
 *
 * @throws {ClientKeysError} also for a set with a private key, which has been disclosed with it
 * @see RFC 7517 section 5
 */
export function readKeySet(json: unknown): ClientKeySet {
  const members = isObject(json) && Object.hasOwn(json, 'keys') ? json.keys : undefined;
  if (!Array.isArray(members))
    throw new ClientKeysError('The key set must be a JSON object with the array keys.');
  if (members.length > maximumKeys)
    throw new ClientKeysError(`The key set must have at most ${maximumKeys} keys.`);
  if (members.some(isPrivateKey)) throw new ClientKeysError('The key set must contain public keys only.');
  const keys = members.map(readKey).filter((key) => key !== null);
  if (keys.length === 0)
    throw new ClientKeysError(
      'The key set must contain a valid key for signatures: EC with P-256, RSA with 2048 to 4096 bits, or OKP with Ed25519.',
    );
  const ids = keys.map(({ kid }) => kid).filter((kid) => kid !== undefined);
  if (new Set(ids).size < ids.length) throw new ClientKeysError('Two keys of the key set have the same kid.');
  if (keys.length > 1 && ids.length < keys.length)
    throw new ClientKeysError('Each key must have a kid when the key set has several keys.');
  return { keys };
}

/** Whether a JSON Web Key is a private or symmetric one, which must not be disclosed. */
export function isPrivateKey(key: unknown): boolean {
  return isObject(key) && privateMembers.some((member) => Object.hasOwn(key, member));
}

/** The key with the members that are used; `null` when it cannot sign assertions. */
function readKey(json: unknown): ClientKey | null {
  if (!isObject(json)) return null;
  const members = new Map<string, unknown>(Object.entries(json));
  const kty = members.get('kty');
  if (kty !== 'EC' && kty !== 'RSA' && kty !== 'OKP') return null;
  const [use, alg, kid] = [members.get('use'), members.get('alg'), members.get('kid')];
  if (use !== undefined && use !== 'sig') return null;
  if (alg !== undefined && !(algorithms[kty] as readonly unknown[]).includes(alg)) return null;
  if (kid !== undefined && (!isStorableText(kid) || kid.length > 255)) return null;
  const material = publicMembers[kty].map((name) => [name, members.get(name)] as const);
  if (!material.every(([, value]) => typeof value === 'string' && /^[\w-]+$/.test(value))) return null;
  const key: ClientKey = {
    kty,
    ...Object.fromEntries(material),
    // EdDSA and Ed25519 are names of the same algorithm, and libraries compare names.
    ...(alg !== undefined && kty !== 'OKP' && { alg: alg as string }),
    ...(kid !== undefined && { kid }),
  };
  return isUsable(key) ? key : null;
}

/** Whether the values form a key of an accepted curve or length. */
function isUsable(key: ClientKey): boolean {
  try {
    const { asymmetricKeyType: type, asymmetricKeyDetails: details } = createPublicKey({
      key,
      format: 'jwk',
    } as JsonWebKeyInput);
    if (type === 'ec') return details?.namedCurve === 'prime256v1';
    return type === 'ed25519' || (type === 'rsa' && isAcceptedRsa(details));
  } catch {
    return false;
  }
}

/**
 * The error of the URL of a key set, as a sentence; `undefined` when it is valid. The address is checked when the set is
 * fetched.
 */
export function keySetUrlError(text: string): string | undefined {
  const url = text.length > maximumKeySetUrl ? undefined : parseUrl(text);
  if (url?.protocol !== 'https:')
    return `The URL of the key set must start with https://, and have at most ${maximumKeySetUrl} characters.`;
  if (url.username !== '' || url.password !== '' || text.includes('#'))
    return 'The URL of the key set must have neither a user name, a password nor a fragment.';
  return undefined;
}
