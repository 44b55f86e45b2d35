/** Path of the page that starts single sign-on of an account. */
export function singleSignOnPath(accountId: string): string {
  return `/sign_in/sso/${accountId}`;
}

/** Path that the identity provider of an account sends users back to. */
export function callbackPath(accountId: string): string {
  return `${singleSignOnPath(accountId)}/callback`;
}
