import { parseUrl } from '../contract/outside-text.js';

// Paths of pages to which pages of other features link.

/** Path of the directory, and start of the paths of all pages for signed-in users. */
export const directoryPath = '/people';

/** Path of Home, the default page after signing in. Members are redirected to the directory. */
export const homePath = `${directoryPath}/home`;

/** Address of the sign-in page, which redirects to a path of this server after signing in. */
export function signInAddress(returnTo: string): string {
  return withReturnTo('/sign_in', returnTo);
}

/** Path of the page on which administrators approve an application, with the query of its authorization request. */
export const approvalPath = '/approve_application';

export const forgotPasswordPath = '/forgot_password';

/** Path of the page that starts single sign-on of an account. */
export function singleSignOnPath(accountId: string): string {
  return `/sign_in/sso/${accountId}`;
}

/** Path that the identity provider of an account sends users back to. */
export function callbackPath(accountId: string): string {
  return `${singleSignOnPath(accountId)}/callback`;
}

/** Path of the page that asks for the e-mail address. */
export const singleSignOnFormPath = '/sign_in/sso';

/** Path that confirms a session at the identity provider. */
export const confirmPath = '/sign_in/sso/confirm';

/** Path that tests single sign-on of the account of the session. */
export const testSignInPath = '/sign_in/sso/test';

/** Path that starts single sign-on of an account, or of the account of an address, and then returns to a path. */
export function singleSignOnAddress(returnTo: string, accountId?: string): string {
  const path = accountId === undefined ? singleSignOnFormPath : singleSignOnPath(accountId);
  return withReturnTo(path, returnTo);
}

/** Path of the settings, and paths of those pages to which other features link. */
export const settings = {
  root: '/people/settings',
  account: '/people/settings/account',
  users: '/people/settings/users',
  /** Also the start of the path of its CSV table. */
  auditLog: '/people/settings/audit_log',
  /** Attributes that the account adds to its employees. */
  employeeAttributes: '/people/settings/employee_attributes',
  applications: '/people/settings/oauth_applications',
  /** Whether the account allows applications in development. */
  development: '/people/settings/oauth_applications/development',
  connected: '/people/settings/connected_applications',
  singleSignOn: '/people/settings/single_sign_on',
} as const;

/** Settings → My account → Second factor. */
export const ownSecondFactorPath = `${settings.account}/second_factor`;

export const reportsPath = '/people/reports';

/** Path of the upload form and of the list of imports. */
export const importPath = `${directoryPath}/employees/import`;

/** Path of the page of an application, or of a page below it. */
export function applicationAddress(id: string, ...below: readonly string[]): string {
  return [settings.applications, id, ...below].join('/');
}

/** Path of a page below My account. */
export function accountAddress(page: 'profile' | 'email' | 'password' | 'sessions'): string {
  return `${settings.account}/${page}`;
}

/** Adds a query to a URL that may have one. */
export function withQuery(address: string, query: string): string {
  return `${address}${address.includes('?') ? '&' : '?'}${query}`;
}

/** Adds the requested page to a URL. */
export function withReturnTo(address: string, returnTo: string): string {
  return `${address}?return_to=${encodeURIComponent(returnTo)}`;
}

/** A path without a host. */
const localPath = /^\/(?![/\\])/;

/** Maximum characters of an address. Request lines are no longer. */
const maximumReturnToLength = 16_384;

/**
 * Redirect target after signing in: a path of this server, or {@link homePath} for any other value. This prevents open
 * redirects.
 */
export function safeReturnTo(value: unknown, baseUrl: string): string {
  if (typeof value !== 'string' || !localPath.test(value)) return homePath;
  const url = parseUrl(value, { base: baseUrl, maximumLength: maximumReturnToLength });
  if (url === undefined) return homePath;
  const ours = url.origin === new URL(baseUrl).origin;
  const known = url.pathname === '/v1/oauth/authorize' || /^\/people(\/|$)/.test(url.pathname);
  return ours && known ? `${url.pathname}${url.search}` : homePath;
}
