import type { ApplicationSummary } from '../../../oauth/clients/application-details.js';
import { numberText } from '../../../platform/counted.js';
import { Badge } from '../../../platform/pages/badge.js';
import { type Column, column, DataTable, Empty } from '../../../platform/pages/data-table.js';
import type { SettingsPage } from '../../../platform/pages/define-pages.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { lastPage, Pager, pageNumber } from '../../../platform/pages/pager.js';
import { applicationAddress, settings } from '../../../platform/pages/paths.js';
import { TimestampOrNever } from '../../../platform/pages/timestamp.js';
import {
  type ApprovalPagesDependencies,
  policyName,
  policyPage,
  policyPath,
  RequestsSection,
  readRequests,
  requestPages,
} from '../../installations/index.js';
import {
  type RequestsPageDependencies,
  requestsPage,
  type UsagePageDependencies,
  usagePage,
} from '../../usage/index.js';
import { type WebhookPagesDependencies, webhookPages } from '../../webhooks/index.js';
import type { ApplicationPagesDependencies } from '../index.js';
import { developmentPage } from './development.js';
import { editPages } from './edit.js';
import { clientTypeName } from './form-page.js';
import { keyPages } from './keys.js';
import { revocationPages } from './revocation.js';
import { secretPages } from './secrets.js';
import { showPages } from './show.js';

/** Settings → OAuth applications. */
export const applicationPages: SettingsPage<
  ApplicationPagesDependencies &
    ApprovalPagesDependencies &
    UsagePageDependencies &
    RequestsPageDependencies &
    WebhookPagesDependencies
> = {
  title: 'OAuth applications',
  path: settings.applications,
  audience: 'administrators',
  register(site, dependencies) {
    listPage(site, dependencies);
    editPages(site, dependencies);
    developmentPage(site, dependencies);
    policyPage(site, dependencies);
    requestPages(site, dependencies);
    showPages(site, dependencies);
    usagePage(site, dependencies);
    webhookPages(site, dependencies);
    requestsPage(site, dependencies);
    secretPages(site, dependencies);
    keyPages(site, dependencies);
    revocationPages(site, dependencies);
  },
};

const pageSize = 50;

/** The applications of the account. */
export function listPage(
  site: PageRouter,
  dependencies: ApplicationPagesDependencies & ApprovalPagesDependencies,
): void {
  const { applications: service, developmentPolicy, approvals } = dependencies;
  site.get(settings.applications, async (context) => {
    const number = pageNumber(context.query);
    const { accountId, at: now } = context.auditContext;
    const range = { skip: (number - 1) * pageSize, size: pageSize, now };
    const [{ applications, count }, developmentAllowed, policy, requests] = await Promise.all([
      service.list(accountId, range),
      developmentPolicy.isAllowed(accountId),
      approvals.policy(accountId),
      readRequests(context, dependencies),
    ]);
    const last = lastPage(count, pageSize);
    if (number > last) return { redirect: pagePath(last) };
    return {
      title: 'OAuth applications',
      actions: count > 0 && <NewApplication />,
      body: (
        <>
          {count === 0 ? (
            <Empty title="No applications yet.">
              <p>
                An application is a program that uses the API to access the data of your account, such as your
                own backend or the service of a partner. Register it here and choose its scopes.
              </p>
              <NewApplication />
            </Empty>
          ) : (
            <>
              <p>
                An application is a program that uses the API to access the data of your account. Its scopes
                are what it can do, and a token is its permission for a short time. Confidential applications
                run on a server; public ones run in a browser, on a phone or on a desktop.
              </p>
              <DataTable caption="Applications of your account" columns={columns} rows={applications} />
              <Pager number={number} last={last} address={pagePath} />
            </>
          )}
          <RequestsSection requests={requests} />
          <p>
            Applications in development are {developmentAllowed ? 'allowed' : 'not allowed'}.{' '}
            <a href={settings.development}>
              Change<span class="unseen"> whether applications in development are allowed</span>
            </a>
          </p>
          <p>
            Applications of other accounts: {policyName(policy)}. <a href={policyPath}>Policy</a>
          </p>
        </>
      ),
    };
  });
}

function pagePath(number: number): string {
  return `${settings.applications}?page=${number}`;
}

function NewApplication() {
  return (
    <a class="button" href={`${settings.applications}/new`}>
      New application
    </a>
  );
}

const columns: readonly Column<ApplicationSummary>[] = [
  column('Name', ({ id, name, inDevelopment, isInstallation, suspendedAt }) => (
    <>
      <a href={applicationAddress(id)}>{name}</a> {isInstallation && <Badge>Other account</Badge>}{' '}
      {suspendedAt !== null && <Badge tone="caution">Suspended</Badge>}{' '}
      {inDevelopment && <Badge tone="caution">In development</Badge>}
    </>
  )),
  column('Client type', ({ clientType }) => clientTypeName(clientType), { kind: 'short' }),
  column('Scopes', ({ scopes }) => (
    <span class="codes">
      {scopes.map((scope) => (
        <code key={scope}>{scope}</code>
      ))}
    </span>
  )),
  column('Connected users', ({ connectedUsers }) => numberText(connectedUsers), { kind: 'number' }),
  column('Last token issued', ({ lastTokenAt }) => <TimestampOrNever at={lastTokenAt} />),
];
