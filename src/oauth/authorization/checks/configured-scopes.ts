import type { Application } from '../../clients/client-registry.js';
import { parseScope } from '../../scopes.js';
import { AuthorizationRejection } from '../authorization-request.js';

/** @throws {AuthorizationRejection} `invalid_scope` */
export function configuredScopes({ scopes }: Application, requested: string): string[] {
  const names = parseScope(requested);
  const unavailable = names.filter((name) => !scopes.includes(name));
  if (unavailable.length > 0) {
    throw new AuthorizationRejection(
      'invalid_scope',
      `These scopes cannot be granted: ${unavailable.join(', ')}. Available scopes: ${scopes.join(', ')}.`,
    );
  }
  if (names.length === 0) {
    throw new AuthorizationRejection('invalid_scope', 'scope must have at least one scope.');
  }
  return names;
}
