import { type ApplicationDetails, requestedApplication } from '../../../oauth/clients/application-details.js';
import { applicationPage, tabAddress } from '../../../oauth/clients/application-tabs.js';
import { scopeLabel } from '../../../oauth/scopes.js';
import { Badge } from '../../../platform/pages/badge.js';
import { DescriptionItem, DescriptionList } from '../../../platform/pages/form-parts.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { applicationAddress } from '../../../platform/pages/paths.js';
import { Timestamp, TimestampOrNever } from '../../../platform/pages/timestamp.js';
import {
  type CallCounts,
  describeCalls,
  lastDays,
  sumOf,
  type UsagePageDependencies,
  usageDays,
} from '../../usage/index.js';
import {
  describeEndpoints,
  type WebhookEndpoint,
  type WebhookPagesDependencies,
} from '../../webhooks/index.js';
import type { ApplicationPagesDependencies } from '../index.js';
import { credentialsPage } from './credentials.js';
import { developmentPath } from './development.js';
import { clientTypeName } from './form-page.js';

/** The overview of an application, and its credentials. */
export function showPages(
  site: PageRouter,
  dependencies: ApplicationPagesDependencies & UsagePageDependencies & WebhookPagesDependencies,
): void {
  const { usage, webhooks, developmentPolicy, baseUrl } = dependencies;
  site.get(tabAddress(':id', 'overview'), async (context) => {
    const application = await requestedApplication(context, dependencies);
    const { accountId, at } = context.auditContext;
    const { id: applicationId } = application;
    const [calls, endpoints, developmentAllowed] = await Promise.all([
      usage.usageByOperationOf(accountId, applicationId, lastDays(at, usageDays)).then(sumOf),
      webhooks.endpoints.list({ accountId, applicationId }),
      developmentPolicy.isAllowed(accountId),
    ]);
    return applicationPage(application, 'overview', {
      actions: (
        <a class="button secondary" href={applicationAddress(applicationId, 'edit')}>
          Edit
        </a>
      ),
      body: <OverviewSections {...{ application, calls, endpoints, developmentAllowed }} />,
    });
  });

  site.get(tabAddress(':id', 'credentials'), async (context) =>
    credentialsPage({ application: await requestedApplication(context, dependencies), baseUrl }),
  );
}

interface OverviewProps {
  readonly application: ApplicationDetails;
  /** Calls of the last days. */
  readonly calls: CallCounts;
  readonly endpoints: readonly WebhookEndpoint[];
}

function OverviewSections({
  application,
  calls,
  endpoints,
  developmentAllowed,
}: OverviewProps & { developmentAllowed: boolean }) {
  const { id, inDevelopment } = application;
  return (
    <>
      {inDevelopment && !developmentAllowed && (
        <div class="warning">
          <p>
            Your account does not allow applications in development: this one cannot be authorized and gets no
            tokens. <a href={developmentPath}>Change</a>
          </p>
        </div>
      )}
      {endpoints.some(({ pausedAt }) => pausedAt !== null) && (
        <div class="warning">
          <p>
            Events are no longer sent to an endpoint of this application.{' '}
            <a href={tabAddress(id, 'webhooks')}>Show webhooks</a>
          </p>
        </div>
      )}
      <OverviewList {...{ application, calls, endpoints }} />
      <section>
        <h2>Revoke all access</h2>
        <p>Revokes all tokens of this application and disconnects all users. The application is kept.</p>
        <p>
          <a class="button danger" href={applicationAddress(id, 'revoke_access')}>
            Revoke all access
          </a>
        </p>
      </section>
      <section>
        <h2>Delete</h2>
        <p>Deletes this application and revokes all of its tokens. The next page asks for confirmation.</p>
        <p>
          <a class="button danger" href={applicationAddress(id, 'delete')}>
            Delete application
          </a>
        </p>
      </section>
    </>
  );
}

function OverviewList({ application, calls, endpoints }: OverviewProps) {
  const { clientId, clientType, inDevelopment, redirectUris, scopes, createdAt, createdBy } = application;
  return (
    <DescriptionList>
      <DescriptionItem name="Client ID">
        <code>{clientId}</code>
      </DescriptionItem>
      <DescriptionItem name="Client type">{clientTypeName(clientType)}</DescriptionItem>
      {inDevelopment && (
        <DescriptionItem name="State">
          <Badge tone="caution">In development</Badge>
        </DescriptionItem>
      )}
      <DescriptionItem name="Scopes">
        <ul class="plain">
          {scopes.map((scope) => (
            <li key={scope}>
              <code>{scope}</code> {scopeLabel(scope)}
            </li>
          ))}
        </ul>
      </DescriptionItem>
      <DescriptionItem name="Redirect URIs">
        {redirectUris.length === 0 ? (
          'None'
        ) : (
          <ul class="plain">
            {redirectUris.map((uri) => (
              <li key={uri}>
                <code>{uri}</code>
              </li>
            ))}
          </ul>
        )}
      </DescriptionItem>
      <DescriptionItem name="Connected users">{application.connectedUsers}</DescriptionItem>
      <DescriptionItem name="Last token issued">
        <TimestampOrNever at={application.lastTokenAt} />
      </DescriptionItem>
      <DescriptionItem name={`Last ${usageDays} days`}>
        {calls.calls === 0 ? 'No calls' : describeCalls(calls)}
      </DescriptionItem>
      {clientType === 'confidential' && (
        <DescriptionItem name="Webhooks">{describeEndpoints(endpoints)}</DescriptionItem>
      )}
      <DescriptionItem name="Created">
        <Timestamp at={createdAt} />
        {createdBy !== null && ` by ${createdBy}`}
      </DescriptionItem>
    </DescriptionList>
  );
}
