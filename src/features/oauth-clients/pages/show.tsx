import {
  type ApplicationDetails,
  requestedApplication,
  type SecretSummary,
} from '../../../oauth/clients/application-details.js';
import { scopeLabel } from '../../../oauth/scopes.js';
import { randomId } from '../../../platform/database/ids.js';
import { type Column, column, DataTable } from '../../../platform/pages/data-table.js';
import { ButtonForm, DescriptionItem, DescriptionList } from '../../../platform/pages/form-parts.js';
import type { PageView } from '../../../platform/pages/page-context.js';
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
import { maximumSecrets } from '../client-secrets.js';
import type { ApplicationPagesDependencies } from '../index.js';
import { clientTypeName } from './form-page.js';

/** Command that gets a token. The secret is read from the environment, so that it is not stored in the shell history. */
export function TokenExample({ baseUrl, clientId }: { baseUrl: string; clientId: string }) {
  const lines = [
    `curl -sS ${baseUrl}/v1/oauth/token`,
    '  -d grant_type=client_credentials',
    `  -d client_id=${clientId}`,
    '  -d client_secret="$CLIENT_SECRET"',
  ];
  return (
    <pre>
      <code>{lines.join(' \\\n')}</code>
    </pre>
  );
}

/** Client secrets of an application, and the next step to replace one. */
function SecretsSection({ application }: { application: ApplicationDetails }) {
  const { id, secrets } = application;
  return (
    <section>
      <h2>Client secrets</h2>
      {secrets.length > 0 && (
        <DataTable
          caption="Client secrets"
          columns={secretColumns(application)}
          rows={secrets}
          rowKey={(secret) => secret.id}
        />
      )}
      {secrets.length < maximumSecrets ? (
        <>
          <p>
            To replace a secret without downtime, create a second one, deploy it, and revoke the first one
            when it is no longer used. Replace a lost secret in the same way.
          </p>
          <ButtonForm action={applicationAddress(id, 'secrets')} hidden={[['form', randomId()]]}>
            {secrets.length === 0 ? 'Create a secret' : 'Create a second secret'}
          </ButtonForm>
        </>
      ) : (
        <p>
          Both secrets are valid. When your software uses the new secret and “Last used” of the old one no
          longer changes, revoke the old one, which is listed first. An application has at most two secrets.
        </p>
      )}
    </section>
  );
}

function secretColumns({ id, secrets }: Pick<ApplicationDetails, 'id' | 'secrets'>): Column<SecretSummary>[] {
  return [
    column('Secret', (secret) => (
      <strong>
        <SecretName {...secret} />
      </strong>
    )),
    column('Created', ({ createdAt }) => <Timestamp at={createdAt} />),
    column('Last used', ({ lastUsedAt }) => <TimestampOrNever at={lastUsedAt} />),
    ...(secrets.length < 2
      ? []
      : [
          column<SecretSummary>('Action', (secret) => (
            <a href={applicationAddress(id, 'secrets', secret.id, 'revoke')}>
              Revoke
              <span class="unseen">
                {' '}
                <SecretName {...secret} />
              </span>
            </a>
          )),
        ]),
  ];
}

/** Text that identifies a secret: its last characters or, for a secret of an earlier version, the date. */
export function SecretName({ lastCharacters, createdAt }: SecretSummary) {
  return lastCharacters === null ? (
    <>
      Secret created on <Timestamp at={createdAt} />
    </>
  ) : (
    <>
      Secret ending in <code>{lastCharacters}</code>
    </>
  );
}

interface Props {
  readonly application: ApplicationDetails;
  readonly baseUrl: string;
  /** Calls of the last days; absent with an alert. */
  readonly usage?: CallCounts;
  /** Its webhook endpoints; absent with an alert. */
  readonly endpoints?: readonly WebhookEndpoint[];
  /** An error of a submitted form. */
  readonly alert?: string;
}

/** The page of one application. */
export function showPages(
  site: PageRouter,
  dependencies: ApplicationPagesDependencies & UsagePageDependencies & WebhookPagesDependencies,
): void {
  const { usage, webhooks, baseUrl } = dependencies;
  site.get(applicationAddress(':id'), async (context) => {
    const application = await requestedApplication(context, dependencies);
    const { accountId, at } = context.auditContext;
    const { id: applicationId } = application;
    const [calls, endpoints] = await Promise.all([
      usage.usageByOperationOf(accountId, applicationId, lastDays(at, usageDays)).then(sumOf),
      webhooks.endpoints.list({ accountId, applicationId }),
    ]);
    return applicationView({ application, baseUrl, usage: calls, endpoints });
  });
}

/** Settings of one application. The values of its secrets are never shown. */
export function applicationView(props: Props): PageView {
  const { application, endpoints, alert } = props;
  const { id, name } = application;
  return {
    title: name,
    alert,
    heading: (
      <>
        {endpoints?.some(({ pausedAt }) => pausedAt !== null) && (
          <div class="warning">
            <p>
              Events are no longer sent to an endpoint of this application.{' '}
              <a href={applicationAddress(id, 'webhooks')}>Show webhooks</a>
            </p>
          </div>
        )}
        <div class="heading">
          <h1>{name}</h1>
          <a class="button secondary" href={applicationAddress(id, 'edit')}>
            Edit
          </a>
        </div>
      </>
    ),
    body: <ApplicationSections {...props} />,
  };
}

function ApplicationSections({ application, baseUrl, usage, endpoints }: Props) {
  const { id, clientId, clientType, redirectUris, scopes, createdAt, createdBy } = application;
  return (
    <>
      <DescriptionList>
        <DescriptionItem name="Client ID">
          <code>{clientId}</code>
        </DescriptionItem>
        <DescriptionItem name="Client type">{clientTypeName(clientType)}</DescriptionItem>
        {clientType === 'confidential' && (
          <DescriptionItem name="Client secret">
            {application.requireClientSecret
              ? 'Required for every token request'
              : 'Optional in requests with an authorization code or a refresh token'}
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
        <DescriptionItem name="Created">
          <Timestamp at={createdAt} />
          {createdBy !== null && ` by ${createdBy}`}
        </DescriptionItem>
      </DescriptionList>
      {clientType === 'confidential' && <SecretsSection application={application} />}
      <section>
        <h2>Usage</h2>
        {usage !== undefined && (
          <p>
            In the last {usageDays} days: {describeCalls(usage)}.
          </p>
        )}
        <p>
          <a class="button secondary" href={applicationAddress(id, 'usage')}>
            Show usage
          </a>
        </p>
      </section>
      {clientType === 'confidential' && (
        <section>
          <h2>Webhooks</h2>
          {endpoints !== undefined && <p>{describeEndpoints(endpoints)}.</p>}
          <p>
            <a class="button secondary" href={applicationAddress(id, 'webhooks')}>
              Show webhooks
            </a>
          </p>
        </section>
      )}
      <DeveloperSection {...{ application, baseUrl }} />
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

function DeveloperSection({ application, baseUrl }: { application: ApplicationDetails; baseUrl: string }) {
  return (
    <section>
      <h2>For developers</h2>
      <DescriptionList>
        <DescriptionItem name="Authorization endpoint">
          <code>{`${baseUrl}/v1/oauth/authorize`}</code>
        </DescriptionItem>
        <DescriptionItem name="Token endpoint">
          <code>{`${baseUrl}/v1/oauth/token`}</code>
        </DescriptionItem>
        <DescriptionItem name="Metadata">
          <a href="/.well-known/oauth-authorization-server">
            <code>{`${baseUrl}/.well-known/oauth-authorization-server`}</code>
          </a>
        </DescriptionItem>
      </DescriptionList>
      {application.clientType === 'confidential' ? (
        <TokenExample baseUrl={baseUrl} clientId={application.clientId} />
      ) : (
        <p>
          This application has no client secret. It uses the authorization code flow with PKCE (method{' '}
          <code>S256</code>). Client libraries configure themselves from the metadata.
        </p>
      )}
    </section>
  );
}
