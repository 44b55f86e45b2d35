import type { Application } from '../../../services/applications/client-registry.js';
import { parseScope } from '../../../services/scopes.js';
import { AuthorizationRejection } from '../authorization-request.js';

/** @throws {AuthorizationRejection} `invalid_scope` */
export function configuredScopes({ scopes }: Application, requested: string): string[] {
  const names = parseScope(requested);
  const refused = names.filter((name) => !scopes.includes(name));
  if (refused.length > 0) {
    throw new AuthorizationRejection(
      'invalid_scope',
      `The application is not configured with ${refused.join(', ')}.`,
    );
  }
  if (names.length === 0) throw new AuthorizationRejection('invalid_scope', 'scope has no scope name.');
  return names;
}
