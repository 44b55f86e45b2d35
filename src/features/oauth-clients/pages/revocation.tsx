import { type ApplicationDetails, requestedApplication } from '../../../oauth/clients/application-details.js';
import { tabAddress } from '../../../oauth/clients/application-tabs.js';
import { confirmPage, ImmediateEffects } from '../../../platform/pages/define-pages.js';
import { withFlash } from '../../../platform/pages/flash.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { applicationAddress, settings } from '../../../platform/pages/paths.js';
import { Timestamp } from '../../../platform/pages/timestamp.js';
import { found, recordNotFound } from '../../../platform/problems/problem.js';
import type { WebhookEndpoint, WebhookPagesDependencies } from '../../webhooks/index.js';
import type { ApplicationPagesDependencies } from '../index.js';

/** Pages that revoke all access of an application, or delete it. */
export function revocationPages(
  site: PageRouter,
  dependencies: ApplicationPagesDependencies & WebhookPagesDependencies,
): void {
  const { applications, webhooks } = dependencies;
  confirmPage(site, applicationAddress(':id', 'revoke_access'), {
    reason: 'revokes all access of an application',
    view: async (context) => {
      const application = await requestedApplication(context, dependencies);
      const owner = { accountId: context.auditContext.accountId, applicationId: application.id };
      const endpoints = await webhooks.endpoints.list(owner);
      return {
        title: `Revoke all access of ${application.name}?`,
        button: 'Revoke all access',
        cancel: applicationAddress(application.id),
        body: <RevocationEffects {...{ application, endpoints }} />,
      };
    },
    save: async (context) => {
      const { id } = await requestedApplication(context, dependencies);
      found(await applications.revokeAccess(context.auditContext, id));
      return { redirect: withFlash(applicationAddress(id), 'access_revoked') };
    },
  });

  confirmPage(site, applicationAddress(':id', 'delete'), {
    reason: 'revokes all access, and destroys the application',
    view: async (context) => {
      const application = await requestedApplication(context, dependencies);
      const { id, name, isInstallation } = application;
      return {
        title: isInstallation ? `Remove ${name} from your account?` : `Delete ${name}?`,
        parent: { title: name, href: applicationAddress(id) },
        button: isInstallation ? 'Remove application' : 'Delete application',
        cancel: applicationAddress(id),
        body: isInstallation ? <RemovalEffects {...application} /> : <DeletionEffects {...application} />,
      };
    },
    save: async (context) => {
      const { id, isInstallation } = await requestedApplication(context, dependencies);
      if (!(await applications.delete(context.auditContext, id))) throw recordNotFound();
      const flash = isInstallation ? 'application_removed' : 'application_deleted';
      return { redirect: withFlash(settings.applications, flash) };
    },
  });
}

function RevocationEffects({
  application: { id, clientType, connectedUsers, isInstallation },
  endpoints,
}: {
  application: ApplicationDetails;
  endpoints: readonly WebhookEndpoint[];
}) {
  const delivering = endpoints.filter(({ pausedAt }) => pausedAt === null).length;
  return (
    <div class="warning">
      <ImmediateEffects />
      <ul>
        <li>All access tokens and refresh tokens of the application are revoked.</li>
        <li>
          {connectedUsers === 0
            ? 'No users are connected.'
            : connectedUsers === 1
              ? '1 connected user is disconnected and has to authorize the application again.'
              : `${connectedUsers} connected users are disconnected and have to authorize the application again.`}
        </li>
        {delivering > 0 && (
          <li>
            {delivering === 1
              ? '1 webhook endpoint is paused.'
              : `${delivering} webhook endpoints are paused.`}{' '}
            Check the <a href={tabAddress(id, 'webhooks')}>URL of each endpoint</a> before you resume it.
          </li>
        )}
      </ul>
      {isInstallation ? (
        <p>
          The application stays approved: users can authorize it again. To prevent this,{' '}
          <a href={applicationAddress(id, 'delete')}>remove it</a> instead.
        </p>
      ) : clientType === 'confidential' ? (
        <p>
          The client ID and the client secrets stay valid: a client that has a secret can still get new tokens
          with the client credentials grant, and resume webhook endpoints. If a secret may have leaked,{' '}
          <a href={tabAddress(id, 'credentials')}>replace it</a> first.
        </p>
      ) : (
        <p>The client ID and the settings are kept. Users can authorize the application again.</p>
      )}
    </div>
  );
}

function RemovalEffects({ clientType, connectedUsers }: ApplicationDetails) {
  return (
    <div class="warning">
      <ImmediateEffects />
      <ul>
        <li>
          {connectedUsers === 0
            ? 'No user is connected.'
            : connectedUsers === 1
              ? '1 connected user is disconnected.'
              : `${connectedUsers} connected users are disconnected.`}
        </li>
        <li>All tokens of the application for your account stop working.</li>
        {clientType === 'confidential' && <li>Its webhook endpoints for your account are deleted.</li>}
      </ul>
      <p>
        The application keeps the data that it has already read. No user can connect it again until an owner
        or administrator approves it.
      </p>
    </div>
  );
}

function DeletionEffects({ clientType, connectedUsers, lastTokenAt, isPublished }: ApplicationDetails) {
  return (
    <div class="warning">
      <ImmediateEffects />
      <ul>
        {isPublished && (
          <li>
            <strong>The application is published: all accounts that use it lose it</strong>, with its tokens
            and webhook endpoints.
          </li>
        )}
        {connectedUsers > 0 && (
          <li>
            {connectedUsers === 1
              ? '1 connected user is disconnected.'
              : `${connectedUsers} connected users are disconnected.`}
          </li>
        )}
        <li>
          The client ID{clientType === 'confidential' && ', the client secrets'} and all tokens of the
          application stop working.
        </li>
      </ul>
      <p>
        {lastTokenAt === null ? (
          'No token has been issued yet.'
        ) : (
          <>
            The last token was issued on <Timestamp at={lastTokenAt} />: a client may still use the
            application.
          </>
        )}
        {connectedUsers === 0 && ' No user is connected.'}
      </p>
      <p>This cannot be undone. If you register the application again, it gets a new client ID.</p>
    </div>
  );
}
