import { invalidParameter } from '../../../platform/problems/invalid-request.js';
import { violation } from '../../../platform/problems/rule-texts.js';
import type { Application } from '../../clients/client-registry.js';

/**
 * The redirect URI must be registered for the application. It is compared character by character.
 *
 * @throws {Problem} 400 `invalid_request`; never a redirect
 * @see RFC 9700 section 2.1
 */
export function registeredRedirectUri({ redirectUris }: Application, redirectUri: string): void {
  if (!redirectUris.includes(redirectUri)) {
    throw invalidParameter('redirect_uri', violation('registered_redirect_uri'));
  }
}
