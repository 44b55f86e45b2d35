import type { Role } from '../platform/accounts/user.js';

/**
 * Whether a user with this role may grant a scope to an application. Members may grant access to their own profile only,
 * so that they cannot give an application access to the directory.
 */
export function mayGrant(role: Role, scope: string): boolean {
  return role === 'owner' || role === 'admin' || isAboutUser(scope);
}

/** Whether a scope lets an application change data. */
export function isWriteScope(scope: string): boolean {
  return scope.endsWith(':write');
}

/** Whether a scope gives access to the profile of the granting user only. */
export function isAboutUser(scope: string): boolean {
  return scope.startsWith('user:');
}
