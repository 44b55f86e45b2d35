import type { operations } from '../../platform/contract/generated.js';
import { oauthDescription } from '../../platform/problems/problem-document.js';

/** Parameters of an authorization request, validated against the contract. */
export type AuthorizationParameters = operations['authorize']['parameters']['query'];

/**
 * An error that is sent to the application by redirect. Its redirect URI was checked before.
 *
 * @see RFC 6749 section 4.1.2.1
 */
export class AuthorizationRejection extends Error {
  override readonly name = 'AuthorizationRejection';
  readonly error: 'invalid_scope' | 'access_denied';

  constructor(error: AuthorizationRejection['error'], description: string) {
    super(description);
    this.error = error;
  }
}

/** Redirect URI with the response in its query. @see RFC 6749 section 4.1.2 and RFC 9207 section 2 for `iss` */
export function responseAddress(
  { redirect_uri, state }: AuthorizationParameters,
  issuer: string,
  response: { code: string } | AuthorizationRejection,
): string {
  const parameters =
    response instanceof AuthorizationRejection
      ? { error: response.error, error_description: oauthDescription(response.message) }
      : { code: response.code };
  // Some clients decode `+` as a plus sign; all decode %20 as a space.
  const query = new URLSearchParams({ ...parameters, state, iss: issuer }).toString().replaceAll('+', '%20');
  // Appended, so that the registered URI is unchanged.
  return `${redirect_uri}${redirect_uri.includes('?') ? '&' : '?'}${query}`;
}
