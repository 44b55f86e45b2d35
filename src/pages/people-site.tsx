import type { FastifyInstance } from 'fastify';
import type { Clock } from '../clock.js';
import type { BrowserSessions } from '../http/browser-sessions.js';
import { routeNotFound } from '../http/not-found.js';
import type { AuditLogReader } from '../services/audit-log-reader.js';
import type { Employees } from '../services/employees/employees.js';
import type { ApplicationPagesDependencies } from './applications/application-pages.js';
import { applicationPages } from './applications/routes.js';
import { auditLogPage } from './audit-log.js';
import { confirmationPage } from './confirm-password.js';
import { connectedApplicationsPages } from './connected-applications.js';
import type { AccountPagesDependencies } from './my-account/account-pages.js';
import { accountPages } from './my-account/routes.js';
import { peoplePage } from './people.js';
import { home } from './return-to.js';
import { privatePageHeaders } from './security-headers.js';
import { SignInPage } from './sign-in.js';
import { Site } from './site.js';
import { firstSettingsPage, settings } from './site-page.js';
import { userPages } from './users/routes.js';
import type { UserPagesDependencies } from './users/user-pages.js';

export interface PeopleSiteDependencies
  extends ApplicationPagesDependencies,
    UserPagesDependencies,
    AccountPagesDependencies {
  readonly auditLog: AuditLogReader;
  readonly employees: Employees;
  readonly sessions: BrowserSessions;
  readonly clock: Clock;
}

/** All pages below `/people`: the directory and the settings. */
export async function peopleSite(app: FastifyInstance, dependencies: PeopleSiteDependencies): Promise<void> {
  const site = new Site(app, { ...dependencies, confirmationPage, signInPage: SignInPage });
  const administration = site.forAdministrators();

  app.get('/', async (_, reply) => reply.headers(privatePageHeaders()).redirect(home, 303));
  peoplePage(site, dependencies);
  site.get(settings.root, async ({ user }) => ({ redirect: firstSettingsPage(user) }));
  applicationPages(administration, dependencies);
  accountPages(site, dependencies);
  connectedApplicationsPages(site, dependencies);
  userPages(administration, dependencies);
  auditLogPage(administration, dependencies);
  // Unknown paths get an error page, with the navigation for a signed-in user.
  app.get(`${home}/*`, { config: { page: true } }, async (request) => {
    await dependencies.sessions.session(request);
    throw routeNotFound(request);
  });
}
