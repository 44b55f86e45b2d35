import type { Role } from './user.js';

/**
 * Whether a user of this role may grant a scope to an application. Members may grant access to their own profile only,
 * so that no employee gives an application access to the directory.
 */
export function mayGrant(role: Role, scope: string): boolean {
  return role === 'owner' || role === 'admin' || isAboutUser(scope);
}

/** Whether a scope is about the user who granted it, and about no other user. */
export function isAboutUser(scope: string): boolean {
  return scope.startsWith('user:');
}
