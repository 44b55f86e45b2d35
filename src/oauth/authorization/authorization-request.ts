import type { operations } from '../../contract/generated.js';
import { oauthDescription } from '../../problems/problem-document.js';

/** What an application asks a user for; complete and well-formed by the contract. */
export type AuthorizationParameters = operations['authorize']['parameters']['query'];

/**
 * A refusal that the application is told of by a redirect, because its redirect URI is known to be its own.
 *
 * @see RFC 6749 section 4.1.2.1
 */
export class AuthorizationRejection extends Error {
  override readonly name = 'AuthorizationRefusal';
  readonly error: 'invalid_scope' | 'access_denied';

  constructor(error: AuthorizationRejection['error'], description: string) {
    super(description);
    this.error = error;
  }
}

/** The address that the browser goes back to, with the answer in its query. @see RFC 9207 for `iss` */
export function responseAddress(
  { redirect_uri, state }: AuthorizationParameters,
  issuer: string,
  response: { code: string } | AuthorizationRejection,
): string {
  const parameters =
    response instanceof AuthorizationRejection
      ? { error: response.error, error_description: oauthDescription(response.message) }
      : { code: response.code };
  // Clients decode `+` as a space or as a plus sign; %20 is a space to all of them.
  const query = new URLSearchParams({ ...parameters, state, iss: issuer }).toString().replaceAll('+', '%20');
  // Appended: the registered address stays as it is, to the character.
  return `${redirect_uri}${redirect_uri.includes('?') ? '&' : '?'}${query}`;
}
