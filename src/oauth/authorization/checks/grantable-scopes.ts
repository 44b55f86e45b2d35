import type { User } from '../../../platform/accounts/user.js';
import { mayGrant } from '../../grantable-scopes.js';
import { AuthorizationRejection } from '../authorization-request.js';

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
