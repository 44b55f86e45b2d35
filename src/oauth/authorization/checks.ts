import type { User } from '../../platform/accounts/user.js';
import type { operations } from '../../platform/contract/generated.js';
import { invalidParameter } from '../../platform/problems/invalid-request.js';
import { OtherAccountProblem, UnregisteredRedirectUriProblem } from '../../platform/problems/problem.js';
import { violation } from '../../platform/problems/rule-texts.js';
import type { Application, ClientRegistry } from '../clients/client-registry.js';
import { invalidClient } from '../clients/credentials.js';
import { checkScopes, mayGrant } from '../scopes.js';

/** Parameters of an authorization request, validated against the contract. */
export type AuthorizationParameters = operations['authorize']['parameters']['query'];

/**
 * An error that is sent to the application by redirect. Its redirect URI was checked before.
 *
 * @see RFC 6749 section 4.1.2.1
 */
export class AuthorizationRejection extends Error {
  override readonly name = 'AuthorizationRejection';
  readonly error: 'invalid_scope' | 'access_denied';

  constructor(error: AuthorizationRejection['error'], description: string) {
    super(description);
    this.error = error;
  }
}

/** @throws {Problem} 401 `invalid_client`; never a redirect, because an unknown client has no registered redirect URI */
export async function knownClient(clients: ClientRegistry, clientId: string): Promise<Application> {
  const application = await clients.findByClientId(clientId);
  if (application === null) throw invalidClient({ basic: false }, 'Unknown client_id.');
  return application;
}

/**
 * The redirect URI must be registered for the application. It is compared character by character.
 *
 * @throws {UnregisteredRedirectUriProblem} never a redirect
 * @see RFC 9700 section 2.1
 */
export function checkRedirectUri({ name, redirectUris }: Application, redirectUri: string): void {
  if (redirectUris.includes(redirectUri)) return;
  const { message: detail, errors = [] } = invalidParameter(
    'redirect_uri',
    violation('registered_redirect_uri'),
  );
  throw new UnregisteredRedirectUriProblem({ detail, errors }, { applicationName: name, redirectUri });
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

/** @throws {AuthorizationRejection} `invalid_scope` */
export function configuredScopes({ scopes: available }: Application, requested: string): string[] {
  const { scopes, error } = checkScopes(requested, available);
  if (error !== undefined) throw new AuthorizationRejection('invalid_scope', error);
  return scopes;
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

/**
 * The user must belong to the account of the application.
 *
 * @throws {OtherAccountProblem} never a redirect, so that the application learns nothing about the user
 */
export function checkSameAccount(application: Application, user: User): void {
  if (application.accountId !== user.accountId) throw new OtherAccountProblem();
}
