import type { ApplicationDetails, SecretSummary } from '../../../oauth/clients/application-details.js';
import { requestedApplication } from '../../../oauth/clients/requested-application.js';
import { randomId } from '../../../platform/database/ids.js';
import { ConfirmForm } from '../../../platform/pages/confirm-form.js';
import { Copyable } from '../../../platform/pages/copyable.js';
import { withNotice } from '../../../platform/pages/notices.js';
import type { PageContext, PageHandler, PageResponse } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { applicationAddress, settings } from '../../../platform/pages/paths.js';
import { SitePage } from '../../../platform/pages/site-page.js';
import { TimestampOrNever } from '../../../platform/pages/timestamp.js';
import { recordNotFound } from '../../../platform/problems/problem.js';
import type { ApplicationPagesDependencies } from './application-pages.js';
import { ShowPage, secretName, TokenExample } from './show-page.js';

/** The only page that shows a client secret. */
export function SecretPage({
  context,
  title,
  id,
  clientId,
  clientSecret,
  baseUrl,
}: {
  context: PageContext;
  title: string;
  id: string;
  clientId: string;
  clientSecret: string;
  baseUrl: string;
}) {
  return (
    <SitePage context={context} title={title} current="applications" script="copy.js">
      <h1>{title}</h1>
      <div class="warning">
        <p>
          <strong>Copy the client secret now. You won't be able to see it again.</strong> Anyone who has it
          can act as this application. Store it where only your server can read it, never in source code.
        </p>
      </div>
      <Copyable id="client-id" label="Client ID" value={clientId} />
      <Copyable id="client-secret" label="Client secret" value={clientSecret} />
      <p id="copied" role="status" class="hint" />
      <h2>Get a token</h2>
      <TokenExample baseUrl={baseUrl} clientId={clientId} />
      <p class="actions">
        <a class="button" href={applicationAddress(id)}>
          I have stored the secret
        </a>
      </p>
    </SitePage>
  );
}

/** Creation and revocation of client secrets. */
export function secretPages(site: PageRouter, dependencies: ApplicationPagesDependencies): void {
  const { clientSecrets, baseUrl } = dependencies;
  const path = `${settings.applications}/:id/secrets`;

  const rejection = async (context: PageContext, alert: string): Promise<PageResponse> => {
    const application = await requestedApplication(context, dependencies);
    return { status: 409, page: <ShowPage {...{ context, application, baseUrl, alert }} /> };
  };

  // The address of the form: a user whose session expired is sent back to it after signing in.
  site.get(path, async (context) => ({
    redirect: applicationAddress((await requestedApplication(context, dependencies)).id),
  }));

  const create: PageHandler = async (context) => {
    const { id } = await requestedApplication(context, dependencies);
    const nonce = context.form.text('form') || randomId();
    const created = await clientSecrets.create(context.auditContext, { applicationId: id, nonce });
    switch (created.kind) {
      case 'created': {
        const { clientId, clientSecret } = created;
        return {
          script: true,
          page: (
            <SecretPage
              context={context}
              title="Secret created"
              {...{ id, clientId, clientSecret, baseUrl }}
            />
          ),
        };
      }
      case 'repeated':
        return { redirect: withNotice(applicationAddress(id), 'secret_exists') };
      case 'too_many':
        return rejection(
          context,
          'An application has at most two secrets. Revoke one before you create another.',
        );
      case 'public_client':
        return rejection(context, 'A public application has no secret.');
      case 'not_found':
        throw recordNotFound();
    }
  };
  site.post(path, create);

  site.get(`${path}/:secret_id/revoke`, async (context) => {
    const application = await requestedApplication(context, dependencies);
    const secret = application.secrets.find(({ id }) => id === context.parameter('secret_id'));
    if (secret === undefined) throw recordNotFound();
    return { page: <RevokePage {...{ context, application, secret }} /> };
  });

  const revoke: PageHandler = async (context) => {
    const { id: applicationId } = await requestedApplication(context, dependencies);
    const secretId = context.parameter('secret_id');
    const outcome = await clientSecrets.revoke(context.auditContext, { applicationId, secretId });
    if (outcome === 'not_found') throw recordNotFound();
    if (outcome === 'only_one') {
      return rejection(context, 'This is the only secret. Create a second one before you revoke it.');
    }
    return { redirect: withNotice(applicationAddress(applicationId), 'secret_revoked') };
  };
  site.post(`${path}/:secret_id/revoke`, revoke);
}

function RevokePage({
  context,
  application,
  secret,
}: {
  context: PageContext;
  application: ApplicationDetails;
  secret: SecretSummary;
}) {
  const title = 'Revoke this secret?';
  return (
    <SitePage
      context={context}
      title={title}
      current="applications"
      parent={{ title: application.name, href: applicationAddress(application.id) }}
    >
      <h1>{title}</h1>
      <div class="warning">
        <p>
          {secretName(secret, context.user)} of <strong>{application.name}</strong>. Last used:{' '}
          <strong>
            <TimestampOrNever at={secret.lastUsedAt} reader={context.user} />
          </strong>
          .
        </p>
        <p>
          Clients that use this secret can no longer get tokens. Tokens that were already issued stay valid
          until they expire. This cannot be undone.
        </p>
      </div>
      <ConfirmForm
        context={context}
        action={applicationAddress(application.id, 'secrets', secret.id, 'revoke')}
        button="Revoke secret"
        cancel={applicationAddress(application.id)}
      />
    </SitePage>
  );
}
