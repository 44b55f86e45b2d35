import type { FastifyInstance } from 'fastify';
import type { Clock } from '../clock.js';
import type { BrowserSessions } from '../http/browser-sessions.js';
import type { CsvDownloads } from '../http/csv-downloads.js';
import { routeNotFound } from '../http/not-found.js';
import type { Directory } from '../services/employees/directory.js';
import type { SecondFactorPolicies } from '../services/second-factors/second-factor-policy.js';
import type { ApplicationPagesDependencies } from './applications/application-pages.js';
import { applicationPages } from './applications/routes.js';
import type { UsagePageDependencies } from './applications/usage/usage-routes.js';
import type { WebhookPagesDependencies } from './applications/webhooks/routes.js';
import { type AuditLogPageDependencies, auditLogPage } from './audit-log/audit-log.js';
import { confirmationPage } from './confirm-password.js';
import { connectedApplicationsPages } from './connected-applications.js';
import type { ImportPagesDependencies } from './employee-imports/import-pages.js';
import { importPages } from './employee-imports/routes.js';
import type { EmployeePagesDependencies } from './employees/employee-pages.js';
import { employeePages } from './employees/routes.js';
import type { AccountPagesDependencies } from './my-account/account-pages.js';
import { accountPages } from './my-account/routes.js';
import { home, settings } from './paths.js';
import { peoplePage } from './people.js';
import type { ReportPagesDependencies } from './reports/report-pages.js';
import { reportPages } from './reports/routes.js';
import { securityPage } from './security.js';
import { privatePageHeaders } from './security-headers.js';
import { SignInPage } from './sign-in-page.js';
import { type SingleSignOnSettingsDependencies, singleSignOnSettings } from './single-sign-on/settings.js';
import { Site } from './site.js';
import { firstSettingsPage } from './site-page.js';
import { userPages } from './users/routes.js';
import type { UserPagesDependencies } from './users/user-pages.js';

export interface PeopleSiteDependencies
  extends ApplicationPagesDependencies,
    UsagePageDependencies,
    Omit<WebhookPagesDependencies, 'applications'>,
    AuditLogPageDependencies,
    UserPagesDependencies,
    SingleSignOnSettingsDependencies,
    ReportPagesDependencies,
    ImportPagesDependencies,
    EmployeePagesDependencies,
    AccountPagesDependencies {
  readonly downloads: CsvDownloads;
  readonly directory: Directory;
  readonly policies: SecondFactorPolicies;
  readonly sessions: BrowserSessions;
  readonly clock: Clock;
}

/** All pages below `/people`: the directory and the settings. */
export async function peopleSite(app: FastifyInstance, dependencies: PeopleSiteDependencies): Promise<void> {
  const site = new Site(app, {
    ...dependencies,
    confirmationPage,
    signInPage: async (form) => (
      <SignInPage {...form} passkeyOptions={await dependencies.passkeys.useOptions(form.csrfToken)} />
    ),
  });
  const administration = site.forAdministrators();

  app.get('/', async (_, reply) => reply.headers(privatePageHeaders()).redirect(home, 303));
  peoplePage(site, dependencies);
  employeePages(site, dependencies);
  reportPages(administration, dependencies);
  importPages(administration, dependencies);
  site.get(settings.root, async ({ user }) => ({ redirect: firstSettingsPage(user) }));
  applicationPages(administration, dependencies);
  accountPages(site, dependencies);
  connectedApplicationsPages(site, dependencies);
  userPages(administration, dependencies);
  singleSignOnSettings(administration, dependencies);
  securityPage(administration, dependencies);
  auditLogPage(administration, dependencies);
  // Unknown paths get an error page, with the navigation for a signed-in user.
  app.get(`${home}/*`, { config: { page: true } }, async (request) => {
    await dependencies.sessions.session(request);
    throw routeNotFound(request);
  });
}
