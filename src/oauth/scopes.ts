import { administratorRoles, type Role } from '../platform/accounts/user.js';
import type { ScopeName } from '../platform/contract/contract.js';
import { Problem } from '../platform/problems/problem.js';

/** Splits a `scope` parameter into its names, each once, in the order given. @see RFC 6749 section 3.3 */
export function parseScope(scope: string): string[] {
  return [...new Set(scope.split(' ').filter((name) => name !== ''))];
}

/**
 * Whether a user with this role may grant a scope to an application. Members may grant access to their own profile only,
 * so that they cannot give an application access to the directory.
 */
export function mayGrant(role: Role, scope: string): boolean {
  return administratorRoles.includes(role) || isAboutUser(scope);
}

/** Whether a token with these scopes has all that an operation needs, or all of another set. */
export function isPermitted(
  granted: ReadonlySet<string>,
  needed: readonly string[],
  otherSets: readonly (readonly string[])[],
): boolean {
  if (hasAll(granted, needed)) return true;
  for (const others of otherSets) if (hasAll(granted, others)) return true;
  return false;
}

function hasAll(granted: ReadonlySet<string>, needed: readonly string[]): boolean {
  for (const scope of needed) if (!granted.has(scope)) return false;
  return true;
}

/** Whether a scope lets an application change data. */
export function isWriteScope(scope: string): boolean {
  return scope.endsWith(':write');
}

/** The scope of requests of OpenID Connect: the token response has an ID token. */
export const openIdScope = 'openid';

/** The claims of the UserInfo endpoint by scope, in addition to `sub`. @see OpenID Connect Core 1.0 section 5.4 */
export const openIdClaims = {
  profile: ['name', 'given_name', 'family_name', 'nickname', 'picture', 'locale', 'zoneinfo', 'updated_at'],
  email: ['email', 'email_verified'],
  phone: ['phone_number', 'phone_number_verified'],
} as const;

/** Whether a scope is one of OpenID Connect. */
export function isOpenIdScope(scope: string): boolean {
  return scope === openIdScope || Object.hasOwn(openIdClaims, scope);
}

/** Whether a scope gives access to the profile of the granting user only. */
export function isAboutUser(scope: string): boolean {
  return scope.startsWith('user:') || isOpenIdScope(scope);
}

/** Whether one of the scopes gives access to employees. */
export function includesEmployees(scopes: readonly string[]): boolean {
  return scopes.includes('employees:read') || scopes.includes('reports:read');
}

/** The error of a request for scopes of which some are not available. */
export function unavailableScopes(unavailable: readonly string[], available: readonly string[]): string {
  const names = available.join(', ') || 'none';
  return `These scopes cannot be granted: ${unavailable.join(', ')}. Available scopes: ${names}.`;
}

/** The error of a `scope` parameter of spaces only. */
export const noScope = 'scope must have at least one scope.';

/** Names of the requested scopes, all of which must be available; otherwise the error. */
export function checkScopes(
  requested: string,
  available: readonly string[],
): { readonly scopes: string[]; readonly error?: string } {
  const scopes = parseScope(requested);
  const unavailable = scopes.filter((scope) => !available.includes(scope));
  if (unavailable.length > 0) return { scopes, error: unavailableScopes(unavailable, available) };
  return scopes.length === 0 ? { scopes, error: noScope } : { scopes };
}

/**
 * Scopes of a token: the requested ones, or all available ones when the request has none.
 *
 * @throws {Problem} 400 `invalid_scope` when a requested scope is not available
 */
export function selectScopes(requested: string | undefined, available: readonly string[]): string[] {
  if (requested === undefined) return [...available];
  const { scopes, error } = checkScopes(requested, available);
  if (error !== undefined) throw new Problem('invalid_scope', error);
  return scopes;
}

/** What each scope permits, as shown on the consent screen. */
const scopeLabels: Readonly<Record<ScopeName, string>> = {
  'reports:read': 'See all employees of your account, and see and run its saved reports',
  'reports:write': 'Create, change and delete saved reports',
  'employees:read': 'See all employees of your account, and what changes',
  'user:read': 'See your profile: name, e-mail address, picture, language, time zone and phone number',
  'user:write': 'Change your profile',
  'webhooks:read': 'See its webhook endpoints and their deliveries',
  'webhooks:write': 'Have changes of employees and reports sent to its server',
  openid: 'Know that it is you who signs in',
  profile: 'See your name, nickname, picture, language and time zone',
  email: 'See your e-mail address',
  phone: 'See your phone number',
};

/** All scopes of the contract. */
export const knownScopes: readonly string[] = Object.keys(scopeLabels);

export function isKnownScope(scope: string): boolean {
  return Object.hasOwn(scopeLabels, scope);
}

/** Label of a scope; an unknown scope is its own label. */
export function scopeLabel(scope: string): string {
  return (scopeLabels as Readonly<Record<string, string>>)[scope] ?? scope;
}
