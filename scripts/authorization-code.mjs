import { createHash, randomBytes } from 'node:crypto';
import { createBrowser, filledIn } from './browser.mjs';

/**
 * Signs a user in and grants an application access, with the forms of the sign-in and consent pages.
 *
 * @returns the authorization code and its code verifier
 */
export async function authorizationCode(base, { clientId, redirectUri, scope, email, password }) {
  const verifier = randomBytes(32).toString('base64url');
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope,
    state: randomBytes(16).toString('base64url'),
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  };
  const { visit } = createBrowser(base);
  const signInPage = await visit(new URL(`/v1/oauth/authorize?${new URLSearchParams(parameters)}`, base));
  const consentPage = await visit(...filledIn(signInPage, { email, password }));
  const { url } = await visit(...filledIn(consentPage, { decision: 'allow' }));
  const response = Object.fromEntries(url.searchParams);
  if (
    !url.href.startsWith(`${redirectUri}?`) ||
    response.state !== parameters.state ||
    response.iss !== base
  ) {
    throw new Error(
      `The browser was redirected to ${url}, which does not have the expected address, state and issuer`,
    );
  }
  return { code: response.code, verifier };
}
