import type { User } from '../platform/accounts/user.js';
import type { operations } from '../platform/contract/generated.js';
import { hashSecret } from '../platform/crypto/keyring.js';
import { invalidParameter } from '../platform/problems/invalid-request.js';
import { oauthDescription, Problem } from '../platform/problems/problem.js';
import { violation } from '../platform/problems/rule-texts.js';
import {
  type Application,
  type Client,
  type ClientRegistry,
  isApplication,
} from './clients/client-registry.js';
import { invalidClient } from './clients/credentials.js';
import { withResponse } from './clients/redirect-uris.js';
import type { PushedRequest } from './grants/pushed-requests.js';
import { type Resource, readResource } from './resources.js';
import { checkScopes, mayGrant } from './scopes.js';

/** Parameters of an authorization request, in its query or pushed, validated against the contract. */
export type AuthorizationParameters = Query &
  Required<Pick<Query, 'redirect_uri' | 'scope' | 'state' | 'code_challenge'>>;

type Query = operations['authorize']['parameters']['query'];

/**
 * An error that is sent to the application by redirect. Its redirect URI was checked before.
 *
 * @see RFC 6749 section 4.1.2.1
 */
export class AuthorizationRejection extends Error {
  override readonly name = 'AuthorizationRejection';
  readonly error:
    | 'invalid_scope'
    | 'invalid_target'
    | 'access_denied'
    | 'login_required'
    | 'consent_required';

  constructor(error: AuthorizationRejection['error'], description: string) {
    super(description);
    this.error = error;
  }
}

/** @throws {Problem} 401 `invalid_client`; never a redirect, because an unknown client has no registered redirect URI */
export async function knownClient(clients: ClientRegistry, clientId: string): Promise<Client> {
  const application = await clients.findByClientId(clientId);
  if (application === null) throw invalidClient({ basic: false }, 'Unknown client_id.');
  return application;
}

/** Maximum length of `state`, in bytes of UTF-8. */
const maximumBytes = 2048;

/**
 * Limits the bytes of `state`. The contract limits its characters, which a schema can count.
 *
 * @throws {Problem} 400 `invalid_request`; never a redirect
 */
export function checkStateLength(state: string): void {
  if (Buffer.byteLength(state) > maximumBytes) {
    throw invalidParameter('state', violation('maximum_bytes', { maximum: maximumBytes }));
  }
}

/**
 * Enforces the setting "Require pushed requests" of an application.
 *
 * @throws {Problem} 400 `invalid_request`; never a redirect
 * @see RFC 9126 section 5
 */
export function checkPushed(
  { requirePushedRequests }: Client,
  { request_uri }: AuthorizationParameters,
): void {
  if (requirePushedRequests && request_uri === undefined)
    throw invalidParameter('request_uri', violation('required_pushed_request'));
}

/** The pushed request with these parameters; `null` when they were in the query. */
export function pushedRequestOf(
  client: Client,
  { request_uri }: AuthorizationParameters,
): PushedRequest | null {
  if (request_uri === undefined || !isApplication(client)) return null;
  return { hash: hashSecret(request_uri), accountId: client.accountId };
}

/** @throws {AuthorizationRejection} `invalid_scope` */
export function configuredScopes({ scopes: available }: Application, requested: string): string[] {
  const { scopes, error } = checkScopes(requested, available);
  if (error !== undefined) throw new AuthorizationRejection('invalid_scope', error);
  return scopes;
}

/** @throws {AuthorizationRejection} `invalid_target` */
export function requestedResource({ resource }: AuthorizationParameters, baseUrl: string): Resource {
  try {
    return readResource(resource, baseUrl) ?? 'api';
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw new AuthorizationRejection('invalid_target', error.message);
  }
}

/**
 * The response to `prompt=none`, which never issues a code, because consent is always requested. A user whose account cannot use the
 * application counts as not signed in, so that the application learns nothing about the user.
 *
 * @see OpenID Connect Core 1.0 section 3.1.2.6
 */
export function silentRejection(client: Client, user: User | null): AuthorizationRejection {
  const isOwn = isApplication(client) && client.accountId === user?.accountId;
  if (user === null || !(isOwn || client.shared))
    return new AuthorizationRejection('login_required', 'The user must sign in.');
  return new AuthorizationRejection('consent_required', 'The user must consent to each request.');
}

export interface GrantableScopes {
  readonly offered: readonly string[];
  /** Scopes that the user may not grant: shown and omitted. */
  readonly withheld: readonly string[];
}

/** @throws {AuthorizationRejection} `access_denied` when the user may grant none of the requested scopes */
export function grantableScopes({ role }: User, requested: readonly string[]): GrantableScopes {
  const offered = requested.filter((scope) => mayGrant(role, scope));
  if (offered.length === 0) {
    throw new AuthorizationRejection('access_denied', 'The user may not grant any of the requested scopes.');
  }
  return { offered, withheld: requested.filter((scope) => !offered.includes(scope)) };
}

/** Redirect URI with the response in its query. @see RFC 6749 section 4.1.2 and RFC 9207 section 2 for `iss` */
export function responseUrl(
  { redirect_uri, state }: AuthorizationParameters,
  issuer: string,
  response: { code: string } | AuthorizationRejection,
): string {
  const parameters =
    response instanceof AuthorizationRejection
      ? { error: response.error, error_description: oauthDescription(response.message) }
      : { code: response.code };
  return withResponse(redirect_uri, { ...parameters, state, iss: issuer });
}
