import type { AccountDomains } from '../../../platform/accounts/account-domains.js';
import type { BrowserSessions } from '../../../platform/http/browser-sessions.js';
import type { SignInBrowserCookie } from '../sign-in-browser-cookie.js';
import type { SingleSignOn } from '../single-sign-on.js';

/** Dependencies of the pages with which users sign in at an identity provider. */
export interface SingleSignOnPagesDependencies {
  readonly singleSignOn: SingleSignOn;
  readonly domains: AccountDomains;
  readonly sessions: BrowserSessions;
  readonly browserCookie: SignInBrowserCookie;
  readonly baseUrl: string;
}
