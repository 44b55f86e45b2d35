import formbody from '@fastify/formbody';
import type { FastifyInstance } from 'fastify';
import type { composeServices } from './composition.js';
import { auditLogPage } from './features/audit-log/pages/audit-log.js';
import { serviceLinks } from './features/documentation/well-known.js';
import { attributePages } from './features/employees/pages/attribute-settings.js';
import { directoryPage } from './features/employees/pages/directory.js';
import { employeePages } from './features/employees/pages/routes.js';
import { homePage } from './features/home/pages/home.js';
import { importPages } from './features/imports/pages/routes.js';
import { applicationPages } from './features/oauth-clients/pages/routes.js';
import { reportPages } from './features/reports/pages/routes.js';
import { securityPage } from './features/second-factors/pages/security.js';
import { SignInPage } from './features/sign-in/pages/sign-in-page.js';
import { singleSignOnSettings } from './features/single-sign-on/pages/settings.js';
import { connectedApplicationsPages } from './features/users/pages/connected-applications.js';
import { accountPages } from './features/users/pages/my-account.js';
import { userPages } from './features/users/pages/routes.js';
import { bodyLimitBytes } from './platform/http/connections.js';
import { routeNotFound } from './platform/http/error-handler.js';
import { maximumPagePairs, parseForm } from './platform/http/form-parser.js';
import { isAdministrator } from './platform/pages/audience.js';
import type { SettingsPage } from './platform/pages/define-pages.js';
import { PageRouter } from './platform/pages/page-router.js';
import { directoryPath, homePath, settings } from './platform/pages/paths.js';
import { privatePageHeaders } from './platform/pages/security-headers.js';

type PeoplePagesDependencies = Awaited<ReturnType<typeof composeServices>>['people'];

/** The settings pages, in the order of their navigation. */
export const settingsPages: readonly SettingsPage<PeoplePagesDependencies>[] = [
  accountPages,
  connectedApplicationsPages,
  userPages,
  attributePages,
  applicationPages,
  securityPage,
  singleSignOnSettings,
  auditLogPage,
];

/** All pages below `/people`. */
export async function registerPeoplePages(
  app: FastifyInstance,
  dependencies: PeoplePagesDependencies,
): Promise<void> {
  app.removeContentTypeParser('application/x-www-form-urlencoded');
  await app.register(formbody, {
    bodyLimit: bodyLimitBytes,
    parser: (text) => parseForm(text, maximumPagePairs),
  });
  const site = new PageRouter(app, {
    ...dependencies,
    settingsPages,
    signInPage: async (form) => (
      <SignInPage {...form} passkeyOptions={await dependencies.passkeys.useOptions(form.csrfToken)} />
    ),
  });

  app.get('/', async (_, reply) =>
    reply.headers({ ...privatePageHeaders(), link: serviceLinks }).redirect(homePath, 303),
  );
  homePage(site, dependencies);
  directoryPage(site, dependencies);
  employeePages(site, dependencies);
  reportPages(site, dependencies);
  importPages(site.forAdministrators(), dependencies);
  site.get(settings.root, async ({ user }) => ({
    redirect: isAdministrator(user) ? settings.applications : settings.connected,
  }));
  for (const page of settingsPages) page.register(site.forSection(page), dependencies);
  // Unknown paths get an error page, with the navigation for a signed-in user.
  app.get(`${directoryPath}/*`, async (request) => {
    await dependencies.sessions.session(request);
    throw routeNotFound(request);
  });
}
