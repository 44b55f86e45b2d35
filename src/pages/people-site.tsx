import type { FastifyInstance } from 'fastify';
import type { Clock } from '../clock.js';
import type { BrowserSessions } from '../http/browser-sessions.js';
import { routeNotFound } from '../http/not-found.js';
import type { AuditLogReader } from '../services/audit-log-reader.js';
import type { Employees } from '../services/employees/employees.js';
import type { Grants } from '../services/grants/grants.js';
import type { ApplicationPagesDependencies } from './applications/application-pages.js';
import { applicationPages } from './applications/routes.js';
import { auditLogPage } from './audit-log.js';
import { connectedApplicationsPages } from './connected-applications.js';
import { peoplePage } from './people.js';
import { home } from './return-to.js';
import { privatePageHeaders } from './security-headers.js';
import { Site } from './site.js';
import { firstSettingsPage, settings } from './site-page.js';

export interface PeopleSiteDependencies extends ApplicationPagesDependencies {
  readonly grants: Grants;
  readonly auditLog: AuditLogReader;
  readonly employees: Employees;
  readonly sessions: BrowserSessions;
  readonly clock: Clock;
}

/** All pages below `/people`: the directory and the settings. */
export async function peopleSite(app: FastifyInstance, dependencies: PeopleSiteDependencies): Promise<void> {
  const site = new Site(app, dependencies);
  const administration = site.forAdministrators();

  app.get('/', async (_, reply) => reply.headers(privatePageHeaders()).redirect(home, 303));
  peoplePage(site, dependencies);
  site.get(settings.root, async ({ user }) => ({ redirect: firstSettingsPage(user) }));
  applicationPages(administration, dependencies);
  connectedApplicationsPages(site, dependencies);
  auditLogPage(administration, dependencies);
  // Unknown paths get an error page.
  app.get(`${home}/*`, { config: { page: true } }, async (request) => {
    throw routeNotFound(request);
  });
}
