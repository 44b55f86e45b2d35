import { Problem } from '../platform/problems/problem.js';
import { parseScope } from './scopes.js';

/**
 * Scopes of a token: the requested ones, or all available ones when the request has none.
 *
 * @throws {Problem} 400 `invalid_scope` when a requested scope is not available
 */
export function selectScopes(requested: string | undefined, available: readonly string[]): string[] {
  if (requested === undefined) return [...available];
  const scopes = parseScope(requested);
  const unavailable = scopes.filter((scope) => !available.includes(scope));
  if (scopes.length === 0 || unavailable.length > 0) {
    throw new Problem(
      'invalid_scope',
      unavailable.length === 0
        ? 'scope must have at least one scope.'
        : `These scopes cannot be granted: ${unavailable.join(', ')}. Available scopes: ${available.join(', ')}.`,
    );
  }
  return scopes;
}
