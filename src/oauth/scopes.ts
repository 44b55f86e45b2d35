import { Problem } from '../problems/problem.js';

/** Splits a `scope` parameter into its names, each once, in the order given. @see RFC 6749 section 3.3 */
export function parseScope(scope: string): string[] {
  return [...new Set(scope.split(' ').filter((name) => name !== ''))];
}

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
