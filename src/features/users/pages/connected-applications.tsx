import type { ConnectedApplication, Grants } from '../../../oauth/grants/grants.js';
import { ScopeChoices } from '../../../oauth/scope-choices.js';
import { scopeLabel } from '../../../oauth/scopes.js';
import { Badge } from '../../../platform/pages/badge.js';
import { Empty } from '../../../platform/pages/data-table.js';
import {
  type ConfirmView,
  confirmPage,
  editPage,
  rejected,
  type SettingsPage,
} from '../../../platform/pages/define-pages.js';
import { requestedId } from '../../../platform/pages/fields.js';
import { withFlash } from '../../../platform/pages/flash.js';
import {
  DescriptionItem,
  DescriptionList,
  FieldError,
  Form,
  useDescription,
} from '../../../platform/pages/form-parts.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import { settings } from '../../../platform/pages/paths.js';
import { Timestamp, TimestampOrNever } from '../../../platform/pages/timestamp.js';
import { found, recordNotFound } from '../../../platform/problems/problem.js';

/**
 * Settings → Connected applications: the applications that the user authorized, how to remove some of their permissions, and how
 * to disconnect them.
 */
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
    editPage<ConnectedApplication, PermissionsForm>(site, permissionsPath(':id'), {
      recentPassword: ['form', 'removes permissions of an application'],
      load: (context) => requestedConnection(context, grants),
      toForm: (_, { scopes }) => ({ scopes }),
      read: ({ form }, { scopes }) => {
        const selected = form.list('scopes');
        return { scopes: scopes.filter((scope) => selected.includes(scope)) };
      },
      merged: [
        {
          member: 'scopes',
          label: 'Permissions',
          id: permissionsId,
          show: ({ scopes }) => scopes.map(scopeLabel).join('; '),
        },
      ],
      view: (_, { stored, form }) => ({
        title: `Permissions of ${stored.name}`,
        body: <Permissions granted={stored.scopes} kept={form.scopes} />,
      }),
      save: async (context, { stored: { applicationId, scopes: expected }, form: { scopes } }) => {
        if (scopes.length === 0) {
          return rejected(
            permissionsId,
            'Keep at least one permission. To remove all, disconnect the application.',
          );
        }
        const outcome = await grants.removeScopes(context.auditContext, { applicationId, scopes, expected });
        if (outcome === 'not_found') throw recordNotFound();
        if (outcome === 'conflict') return { conflict: await requestedConnection(context, grants) };
        return { redirect: withFlash(settings.connected, 'permissions_saved') };
      },
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

/** The permissions that remain. */
interface PermissionsForm {
  readonly scopes: readonly string[];
}

const permissionsId = 'scopes';

/** @throws {Problem} 404 `not_found` when the application is not connected */
async function requestedConnection(context: PageContext, grants: Grants): Promise<ConnectedApplication> {
  const { accountId, userId, at: now } = context.auditContext;
  const selection = { userId, now, applicationId: requestedId(context) };
  const [connection] = await grants.connectedApplications(accountId, selection);
  return found(connection);
}

function Permissions({ granted, kept }: { granted: readonly string[]; kept: readonly string[] }) {
  const hint = `${permissionsId}-hint`;
  return (
    <Form button="Save changes" cancel={settings.connected}>
      <fieldset id={permissionsId} tabIndex={-1} {...useDescription(permissionsId, hint)}>
        <legend>The application may</legend>
        <p class="hint" id={hint}>
          The application immediately loses the permissions that you remove. It keeps the data that it has
          already read. To give a permission again, you have to authorize the application again.
        </p>
        <FieldError field={permissionsId} />
        <ScopeChoices name="scopes" scopes={granted} selected={kept} />
      </fieldset>
    </Form>
  );
}

function permissionsPath(applicationId: string): string {
  return `${settings.connected}/${applicationId}/permissions`;
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
      {connections.map(
        ({ applicationId, name, inDevelopment, suspended, scopes, connectedAt, lastTokenAt }) => (
          <article key={applicationId} aria-labelledby={`connection-${applicationId}`}>
            <div class="heading">
              <h2 id={`connection-${applicationId}`}>
                {name} {inDevelopment && <Badge tone="caution">In development</Badge>}{' '}
                {suspended && <Badge tone="caution">Suspended</Badge>}
              </h2>
              <div class="row-actions">
                {scopes.length > 1 && (
                  <a class="button secondary" href={permissionsPath(applicationId)}>
                    Change permissions<span class="unseen"> of {name}</span>
                  </a>
                )}
                <a class="button secondary" href={disconnectPath(applicationId)}>
                  Disconnect<span class="unseen"> {name}</span>
                </a>
              </div>
            </div>
            {suspended && (
              <p class="note">
                The application has changed. It has no access until an owner or administrator approves it
                again.
              </p>
            )}
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
        ),
      )}
    </>
  );
}
