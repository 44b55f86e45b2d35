import { applicationNameRule } from '../../platform/accounts/name-rules.js';
import { isObject, isStorableText, parseUrl } from '../../platform/contract/outside-text.js';
import { literalAddress } from '../../platform/network/public-address.js';
import { sentence, violation } from '../../platform/problems/rule-texts.js';
import { isKnownScope, knownScopes, parseScope } from '../scopes.js';
import {
  type ClientKeySet,
  type ClientKeys,
  ClientKeysError,
  isPrivateKey,
  keySetUrlError,
  readKeySet,
} from './client-keys.js';
import { redirectUriError } from './redirect-uris.js';

/** A validated Client ID Metadata Document, in the terms of this server. */
export interface MetadataDocument {
  /** The `client_id`, which is the URL of the document. */
  readonly clientId: string;
  /** The host of the URL when the document has no `client_name`. */
  readonly name: string;
  /** Page of the client, of the same origin as the `client_id`; `null` when the document has none. */
  readonly clientUri: string | null;
  /** 1 to 20 URIs of `https://` or `http://localhost`. */
  readonly redirectUris: readonly string[];
  /** 1 or more scopes of the contract; `null` when the document has none: then the client may request all. */
  readonly scopes: readonly string[] | null;
  /** With `private_key_jwt`: the keys, or their URL. Absent in documents that were stored by earlier versions. */
  readonly jwks?: ClientKeySet | null;
  readonly jwksUri?: string | null;
}

/** A document cannot be fetched, or is not valid. `message` is a sentence for its developer, without text of the document. */
export class MetadataDocumentError extends Error {
  override readonly name = 'MetadataDocumentError';
}

/** Maximum length of the URL of a document, in characters. */
const maximumUrlLength = 2000;

const maximumRedirectUris = 20;

/** Methods of client authentication with a shared secret, which a public document cannot contain. */
const secretMethods = ['client_secret_basic', 'client_secret_post', 'client_secret_jwt'];

/**
 * Client identifier URL: scheme, labels of a domain name, optionally a port, a path, optionally a query. Characters of RFC 3986
 * only. The time is linear: each repetition starts with a character that the one before it cannot contain.
 */
const urlPattern = (() => {
  const character = String.raw`(?:[\w.~!$&'()*+,;=:@-]|%[0-9A-Fa-f]{2})`;
  return new RegExp(
    String.raw`^https:\/\/[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::[1-9]\d{0,4})?(?:\/${character}*)+(?:\?(?:${character}|[/?])+)?$`,
  );
})();

/**
 * Whether a `client_id` is the URL of a metadata document, by its text alone. Ports and queries are permitted: the draft allows
 * the former and only discourages the latter. The URL must be written as URL parsers write it, so that they all find the same
 * host and path: in lower case up to the path, without the port 443, and with an internationalized domain in ASCII.
 * Beyond the draft, the path must not be `/`, the host must be a domain name with at least two labels and without a final
 * dot, and the URL has at most 2,000 characters.
 *
 * @see draft-ietf-oauth-client-id-metadata-document-02 section 3
 */
export function isMetadataDocumentUrl(clientId: string): boolean {
  if (clientId.length > maximumUrlLength || !urlPattern.test(clientId)) return false;
  const url = parseUrl(clientId);
  return url?.href === clientId && url.pathname !== '/' && literalAddress(url.hostname) === undefined;
}

/**
 * Validates a document. Unknown members are ignored.
 *
 * @param url the `client_id`, for which {@link isMetadataDocumentUrl} is true
 * @param json the parsed document
 * @throws {MetadataDocumentError}
 * @see draft-ietf-oauth-client-id-metadata-document-02 section 4, and RFC 7591 section 2 for the members
 */
export function readMetadataDocument(url: string, json: unknown): MetadataDocument {
  const members = new Members(json);
  if (members.text('client_id') !== url)
    throw new MetadataDocumentError('client_id must be the URL of the document, character by character.');
  const keys = readAuthentication(members);
  checkFlow(members);
  return {
    clientId: url,
    name: readName(members, url),
    clientUri: readClientUri(members, url),
    redirectUris: readRedirectUris(members),
    scopes: readScopes(members),
    ...(keys !== null && keys),
  };
}

/** The members of the document. Inherited ones, such as those of `__proto__`, do not count. */
class Members {
  readonly #values: ReadonlyMap<string, unknown>;

  constructor(json: unknown) {
    if (!isObject(json)) throw new MetadataDocumentError('The document must be a JSON object.');
    this.#values = new Map(Object.entries(json));
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  value(name: string): unknown {
    return this.#values.get(name);
  }

  text(name: string): string | undefined {
    const value = this.value(name);
    if (this.has(name) && typeof value !== 'string') throw typeError(name, 'string');
    return value as string | undefined;
  }

  texts(name: string): readonly string[] | undefined {
    const value = this.value(name);
    if (!this.has(name)) return undefined;
    if (!Array.isArray(value)) throw typeError(name, 'array');
    for (const [index, item] of value.entries())
      if (typeof item !== 'string') throw typeError(`${name}[${index}]`, 'string');
    return value;
  }
}

function typeError(name: string, type: 'string' | 'array' | 'object'): MetadataDocumentError {
  return new MetadataDocumentError(sentence(name, violation('type', { types: [type] })));
}

/**
 * The client must be public, or authenticate with keys. The default `client_secret_basic` of RFC 7591 is a method that the draft
 * forbids, and does not apply: a document that names no method is one of a public client.
 *
 * @returns the keys of `private_key_jwt`; `null` for a public client
 * @see draft-ietf-oauth-client-id-metadata-document-02 section 4.1
 */
function readAuthentication(members: Members): ClientKeys | null {
  for (const name of ['client_secret', 'client_secret_expires_at'])
    if (members.has(name))
      throw new MetadataDocumentError(`${name} must be omitted: a document that all can read has no secret.`);
  const method = members.text('token_endpoint_auth_method');
  const supported = members.texts('token_endpoint_auth_methods_supported');
  for (const [name, methods] of [
    ['token_endpoint_auth_method', method === undefined ? [] : [method]],
    ['token_endpoint_auth_methods_supported', supported ?? []],
  ] as const)
    for (const secretMethod of secretMethods)
      if (methods.includes(secretMethod))
        throw new MetadataDocumentError(
          `${name} must not be ${secretMethod}: a document that all can read has no secret. Use none, with PKCE.`,
        );
  if (method !== undefined && method !== 'none' && method !== 'private_key_jwt')
    throw new MetadataDocumentError(
      'token_endpoint_auth_method must be none or private_key_jwt, or omitted.',
    );
  const used = method ?? 'none';
  if (supported !== undefined && !supported.includes(used))
    throw new MetadataDocumentError(`token_endpoint_auth_methods_supported must contain ${used}.`);
  checkPublic(members);
  return used === 'private_key_jwt' ? readKeys(members) : null;
}

/** A document must not disclose a private key, whether or not its keys are used. */
function checkPublic(members: Members): void {
  if (!members.has('jwks')) return;
  const jwks = members.value('jwks');
  if (!isObject(jwks)) throw typeError('jwks', 'object');
  const keys: unknown = Object.hasOwn(jwks, 'keys') ? jwks.keys : undefined;
  if (!Array.isArray(keys)) throw typeError('jwks.keys', 'array');
  if (keys.some(isPrivateKey)) throw new MetadataDocumentError('jwks must contain public keys only.');
}

function readKeys(members: Members): ClientKeys {
  const jwksUri = members.text('jwks_uri') ?? null;
  if (members.has('jwks') === (jwksUri !== null))
    throw new MetadataDocumentError('With private_key_jwt, exactly one of jwks and jwks_uri is required.');
  if (jwksUri !== null) {
    const error = keySetUrlError(jwksUri);
    if (error !== undefined) throw new MetadataDocumentError(`jwks_uri is not accepted. ${error}`);
    return { jwks: null, jwksUri };
  }
  try {
    return { jwks: readKeySet(members.value('jwks')), jwksUri: null };
  } catch (error) {
    if (error instanceof ClientKeysError)
      throw new MetadataDocumentError(`jwks is not accepted. ${error.message}`, { cause: error });
    throw error;
  }
}

/** A document also lists what other servers support, such as the device code grant. */
function checkFlow(members: Members): void {
  if (members.texts('grant_types')?.includes('authorization_code') === false)
    throw new MetadataDocumentError('grant_types must contain authorization_code.');
  if (members.texts('response_types')?.includes('code') === false)
    throw new MetadataDocumentError('response_types must contain code.');
}

function readName(members: Members, url: string): string {
  const given = members.text('client_name');
  const name = given ?? hostOf(url);
  const error = isStorableText(name) ? applicationNameRule(name) : violation('storable_text');
  if (error === undefined) return name;
  throw new MetadataDocumentError(
    given === undefined
      ? 'client_name is required, because the host of the URL is too long to be the name.'
      : sentence('client_name', error),
  );
}

function readClientUri(members: Members, url: string): string | null {
  const text = members.text('client_uri');
  if (text === undefined) return null;
  const uri = parseUrl(text);
  if (uri === undefined) throw new MetadataDocumentError(sentence('client_uri', violation('url')));
  if (uri.username !== '' || uri.password !== '')
    throw new MetadataDocumentError(sentence('client_uri', violation('url_without_user')));
  if (uri.origin !== parseUrl(url)?.origin)
    throw new MetadataDocumentError('client_uri must have the scheme, host and port of the client_id.');
  return uri.href;
}

/**
 * The URIs of `https://` and `http://localhost`. Documents also list others, for other servers: with IP addresses, or with a
 * scheme of an app. They are omitted, because no request with them is accepted.
 */
function readRedirectUris(members: Members): readonly string[] {
  const listed = members.texts('redirect_uris');
  if (listed === undefined) throw new MetadataDocumentError('redirect_uris is required.');
  if (listed.length > maximumRedirectUris)
    throw new MetadataDocumentError(
      sentence('redirect_uris', violation('maximum_length', { maximum: maximumRedirectUris, of: 'item' })),
    );
  const accepted = new Set<string>();
  for (const [index, uri] of listed.entries()) {
    if (!/^(https:|http:\/\/localhost(?![\w.-]))/i.test(uri)) continue;
    const error = redirectUriError(uri, { inDevelopment: true });
    if (error !== undefined)
      throw new MetadataDocumentError(`redirect_uris[${index}] is not accepted. ${error}`);
    accepted.add(uri);
  }
  if (accepted.size === 0)
    throw new MetadataDocumentError(
      'redirect_uris must contain a URI that starts with https:// or http://localhost.',
    );
  return [...accepted];
}

/** The scopes that this server has. A document also names those of other servers. */
function readScopes(members: Members): readonly string[] | null {
  const scope = members.text('scope');
  if (scope === undefined) return null;
  const scopes = parseScope(scope).filter(isKnownScope);
  if (scopes.length === 0)
    throw new MetadataDocumentError(
      `scope must be omitted, or contain a scope of this server: ${knownScopes.join(', ')}.`,
    );
  return scopes;
}

function hostOf(url: string): string {
  return parseUrl(url)?.hostname ?? '';
}
