import { singleSignOnPath } from '../../services/single-sign-on/single-sign-on-path.js';
import { settings } from '../site-page.js';

/** Path of the page that asks for the e-mail address. */
export const singleSignOnFormPath = '/sign_in/sso';

/** Path that confirms a session at the identity provider. */
export const confirmPath = '/sign_in/sso/confirm';

/** Path that starts single sign-on of an account, or of the account of an address, and then returns to a path. */
export function singleSignOnAddress(returnTo: string, accountId?: string): string {
  const path = accountId === undefined ? singleSignOnFormPath : singleSignOnPath(accountId);
  return `${path}?return_to=${encodeURIComponent(returnTo)}`;
}

/** Path of the form that requires single sign-on. */
export const requirePath = `${settings.singleSignOn}/only`;

/** Path of the page that removes the identity provider. */
export const removePath = `${settings.singleSignOn}/remove`;
