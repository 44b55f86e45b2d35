import { Problem } from '../problems/problem.js';
import { parseScope } from '../services/scopes.js';

/**
 * Scopes that a token gets: those asked for, or all that are available where none were named.
 *
 * @throws {Problem} 400 `invalid_scope` when one is asked for that is not available
 */
export function selectScopes(requested: string | undefined, available: readonly string[]): string[] {
  if (requested === undefined) return [...available];
  const scopes = parseScope(requested);
  const unavailable = scopes.filter((scope) => !available.includes(scope));
  if (scopes.length === 0 || unavailable.length > 0) {
    throw new Problem(
      'invalid_scope',
      unavailable.length === 0
        ? 'scope has no scope name.'
        : `These scopes cannot be granted: ${unavailable.join(', ')}. Available scopes: ${available.join(', ')}.`,
    );
  }
  return scopes;
}
