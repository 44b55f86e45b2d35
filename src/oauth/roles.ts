import type { Role } from '../services/users.js';

/**
 * Whether a user of this role may give a scope to an application. Members can give their own profile only, so
 * that no employee hands the staff directory to an application.
 */
export function mayGrant(role: Role, scope: string): boolean {
  return role === 'owner' || role === 'admin' || isAboutUser(scope);
}

/** Whether a scope is about the user who gave it, and nobody else. */
export function isAboutUser(scope: string): boolean {
  return scope.startsWith('user:');
}
