import type { ConnectedApplication, Grants } from '../../../oauth/grants/grants.js';
import { scopeLabel } from '../../../oauth/scopes.js';
import { Empty } from '../../../platform/pages/data-table.js';
import { type ConfirmView, confirmPage, type SettingsPage } from '../../../platform/pages/define-pages.js';
import { requestedId } from '../../../platform/pages/fields.js';
import { withFlash } from '../../../platform/pages/flash.js';
import { DescriptionItem, DescriptionList } from '../../../platform/pages/form-parts.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import { settings } from '../../../platform/pages/paths.js';
import { Timestamp, TimestampOrNever } from '../../../platform/pages/timestamp.js';
import { found, recordNotFound } from '../../../platform/problems/problem.js';

/** Settings → Connected applications: the applications that the user authorized, and how to disconnect them. */
export const connectedApplicationsPages: SettingsPage<{ grants: Grants }> = {
  title: 'Connected applications',
  path: settings.connected,
  audience: 'users',
  register(site, { grants }) {
    site.get(settings.connected, async (context) => {
      const { accountId, userId, at: now } = context.auditContext;
      const connections = await grants.connectedApplications(accountId, { userId, now });
      return { title: 'Connected applications', body: <Connections connections={connections} /> };
    });
    confirmPage(site, disconnectPath(':id'), {
      reason: 'revokes the access of an application',
      view: (context) =>
        disconnectView(context, {
          grants,
          userId: context.user.id,
          applicationId: requestedId(context),
          cancel: settings.connected,
          effects:
            'The application immediately loses its access to your data. It keeps the data that it has already read. To use it again, you have to authorize it again.',
        }),
      save: async (context) => {
        if (!(await grants.disconnect(context.auditContext, requestedId(context)))) throw recordNotFound();
        return { redirect: withFlash(settings.connected, 'disconnected') };
      },
    });
  },
};

/**
 * The page that confirms that an application is disconnected from a user.
 *
 * @throws {Problem} 404 `not_found` when it is not connected
 */
export async function disconnectView(
  { auditContext: { accountId, at: now } }: PageContext,
  {
    grants,
    userId,
    applicationId,
    cancel,
    effects,
  }: { grants: Grants; userId: string; applicationId: string; cancel: string; effects: string },
): Promise<ConfirmView> {
  const [connection] = await grants.connectedApplications(accountId, { userId, now, applicationId });
  return {
    title: `Disconnect ${found(connection).name}?`,
    button: 'Disconnect',
    cancel,
    body: (
      <div class="warning">
        <p>{effects}</p>
      </div>
    ),
  };
}

function disconnectPath(applicationId: string): string {
  return `${settings.connected}/${applicationId}/disconnect`;
}

function Connections({ connections }: { connections: readonly ConnectedApplication[] }) {
  return (
    <>
      <p>Applications that can act on your behalf. Disconnect the ones that you do not use or recognize.</p>
      {connections.length === 0 && (
        <Empty title="No connected applications.">
          <p>Applications you authorize appear here.</p>
        </Empty>
      )}
      {connections.map(({ applicationId, name, scopes, connectedAt, lastTokenAt }) => (
        <article key={applicationId} aria-labelledby={`connection-${applicationId}`}>
          <div class="heading">
            <h2 id={`connection-${applicationId}`}>{name}</h2>
            <a class="button secondary" href={disconnectPath(applicationId)}>
              Disconnect<span class="unseen"> {name}</span>
            </a>
          </div>
          <DescriptionList>
            <DescriptionItem name="Permissions">
              <ul class="plain">
                {scopes.length === 0 && <li>None: an administrator removed all scopes you authorized.</li>}
                {scopes.map((scope) => (
                  <li key={scope}>{scopeLabel(scope)}</li>
                ))}
              </ul>
            </DescriptionItem>
            <DescriptionItem name="Connected">
              <Timestamp at={connectedAt} />
            </DescriptionItem>
            <DescriptionItem name="Last token issued">
              <TimestampOrNever at={lastTokenAt} />
            </DescriptionItem>
          </DescriptionList>
        </article>
      ))}
    </>
  );
}
