import type { ComponentChildren } from 'preact';
import { type ApplicationDetails, requestedApplication } from '../../../oauth/clients/application-details.js';
import { applicationPage, tabAddress } from '../../../oauth/clients/application-tabs.js';
import type { Publisher } from '../../../oauth/clients/installations.js';
import { scopeLabel } from '../../../oauth/scopes.js';
import { Badge } from '../../../platform/pages/badge.js';
import { DescriptionItem, DescriptionList } from '../../../platform/pages/form-parts.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { applicationAddress, settings } from '../../../platform/pages/paths.js';
import { Timestamp, TimestampOrNever } from '../../../platform/pages/timestamp.js';
import { attributeLabels, type CustomAttribute, shownChoice } from '../../employees/index.js';
import { type ApprovalPagesDependencies, approvalAddress, HostList } from '../../installations/index.js';
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
import { clientTypeName } from './form-page.js';

/** The overview of an application. */
export function showPages(
  site: PageRouter,
  dependencies: ApplicationPagesDependencies &
    ApprovalPagesDependencies &
    UsagePageDependencies &
    WebhookPagesDependencies,
): void {
  const { usage, webhooks, developmentPolicy, installations, readCustomAttributes } = dependencies;
  site.get(tabAddress(':id', 'overview'), async (context) => {
    const application = await requestedApplication(context, dependencies);
    const { accountId, at } = context.auditContext;
    const { id: applicationId, clientId, isInstallation } = application;
    const [calls, endpoints, developmentAllowed, publisher, custom] = await Promise.all([
      usage.usageByOperationOf(accountId, applicationId, lastDays(at, usageDays)).then(sumOf),
      webhooks.endpoints.list({ accountId, applicationId }),
      developmentPolicy.isAllowed(accountId),
      isInstallation ? installations.publisher(clientId) : null,
      readCustomAttributes(accountId),
    ]);
    return applicationPage(application, 'overview', {
      actions: (
        <a class="button secondary" href={applicationAddress(applicationId, 'edit')}>
          Edit
        </a>
      ),
      body: (
        <OverviewSections {...{ application, calls, endpoints, developmentAllowed, publisher, custom }} />
      ),
    });
  });
}

interface OverviewProps {
  readonly application: ApplicationDetails;
  /** Calls of the last days. */
  readonly calls: CallCounts;
  readonly endpoints: readonly WebhookEndpoint[];
  /** Of an installation. */
  readonly publisher: Publisher | null;
  /** The custom attributes of the account. */
  readonly custom: readonly CustomAttribute[];
}

function OverviewSections({
  application,
  calls,
  endpoints,
  developmentAllowed,
  publisher,
  custom,
}: OverviewProps & { developmentAllowed: boolean }) {
  const { id, clientId, inDevelopment, isInstallation, suspendedAt } = application;
  return (
    <>
      {suspendedAt !== null && (
        <div class="warning">
          <p>
            <strong>Suspended</strong> since <Timestamp at={suspendedAt} />: the application has changed since
            your account approved it. Its tokens are rejected, and it gets no events. Check what has changed,
            and approve it again or remove it.
          </p>
          <p>
            <a class="button" href={approvalAddress(clientId)}>
              Check what has changed
            </a>
          </p>
        </div>
      )}
      {inDevelopment && !developmentAllowed && (
        <div class="warning">
          <p>
            Your account does not allow applications in development: this one cannot be authorized and gets no
            tokens. <a href={settings.development}>Change</a>
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
      <OverviewList {...{ application, calls, endpoints, publisher, custom }} />
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
        <h2>{isInstallation ? 'Remove' : 'Delete'}</h2>
        <p>
          {isInstallation ? 'Removes this application from your account' : 'Deletes this application'} and
          revokes all of its tokens. The next page asks for confirmation.
        </p>
        <p>
          <a class="button danger" href={applicationAddress(id, 'delete')}>
            {isInstallation ? 'Remove application' : 'Delete application'}
          </a>
        </p>
      </section>
    </>
  );
}

function OverviewList({ application, calls, endpoints, publisher, custom }: OverviewProps) {
  const { clientId, clientType, inDevelopment, isInstallation, isPublished } = application;
  const { redirectUris, postLogoutRedirectUris, scopes, createdAt, createdBy } = application;
  const readableAttributes = shownChoice(application.readableAttributes, custom);
  return (
    <DescriptionList>
      {publisher !== null && (
        <DescriptionItem name={publisher.kind === 'account' ? 'Published by' : 'From'}>
          {publisher.kind === 'account' ? publisher.name : publisher.host}
        </DescriptionItem>
      )}
      <DescriptionItem name="Client ID">
        <code>{clientId}</code>
      </DescriptionItem>
      <DescriptionItem name="Client type">{clientTypeName(clientType)}</DescriptionItem>
      {isPublished && <DescriptionItem name="Published">Other accounts can use it.</DescriptionItem>}
      {inDevelopment && (
        <DescriptionItem name="State">
          <Badge tone="caution">In development</Badge>
        </DescriptionItem>
      )}
      <DescriptionItem name={isInstallation ? 'Approved scopes' : 'Scopes'}>
        <CodeList codes={scopes} labelOf={scopeLabel} />
      </DescriptionItem>
      <DescriptionItem name="Readable attributes">
        {readableAttributes.length === 0 ? (
          'None'
        ) : (
          <CodeList codes={readableAttributes} labelOf={attributeLabels(custom)} />
        )}
      </DescriptionItem>
      {isInstallation ? (
        <DescriptionItem name="Sends users to">
          <HostList uris={redirectUris} />
        </DescriptionItem>
      ) : (
        <DescriptionItem name="Redirect URIs">
          {redirectUris.length === 0 ? 'None' : <UriList uris={redirectUris} />}
        </DescriptionItem>
      )}
      {postLogoutRedirectUris.length > 0 && (
        <DescriptionItem name="Sign-out redirect URIs">
          <UriList uris={postLogoutRedirectUris} />
        </DescriptionItem>
      )}
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
      <DescriptionItem name={isInstallation ? 'First approved' : 'Created'}>
        <Timestamp at={createdAt} />
        {createdBy !== null && ` by ${createdBy}`}
      </DescriptionItem>
    </DescriptionList>
  );
}

function UriList({ uris }: { uris: readonly string[] }) {
  return (
    <ul class="plain">
      {uris.map((uri) => (
        <li key={uri}>
          <code>{uri}</code>
        </li>
      ))}
    </ul>
  );
}

/** Codes with their labels. */
function CodeList({
  codes,
  labelOf,
}: {
  codes: readonly string[];
  labelOf: (code: string) => ComponentChildren;
}) {
  return (
    <ul class="plain">
      {codes.map((code) => (
        <li key={code}>
          <code>{code}</code> {labelOf(code)}
        </li>
      ))}
    </ul>
  );
}
