import type { BrowserSessions } from '../../http/browser-sessions.js';
import type { SignInBrowserCookie } from '../../http/sign-in-browser-cookie.js';
import type { AccountDomains } from '../../services/single-sign-on/account-domains.js';
import type { SingleSignOn } from '../../services/single-sign-on/single-sign-on.js';

/** Dependencies of the pages with which users sign in at an identity provider. */
export interface SingleSignOnPagesDependencies {
  readonly singleSignOn: SingleSignOn;
  readonly domains: AccountDomains;
  readonly sessions: BrowserSessions;
  readonly browserCookie: SignInBrowserCookie;
  readonly baseUrl: string;
}
