import { invalidParameter } from '../../../platform/problems/problem.js';
import type { Application } from '../../clients/client-registry.js';

/**
 * The redirect URI must be registered for the application. It is compared character by character.
 *
 * @throws {Problem} 400 `invalid_request`; never a redirect
 * @see RFC 9700 section 2.1
 */
export function registeredRedirectUri({ redirectUris }: Application, redirectUri: string): void {
  if (!redirectUris.includes(redirectUri)) {
    throw invalidParameter(
      'redirect_uri',
      'must be exactly one of the redirect URIs registered for the application',
    );
  }
}
