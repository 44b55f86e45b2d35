import { requestedApplication } from '../../../oauth/clients/application-details.js';
import { tabAddress } from '../../../oauth/clients/application-tabs.js';
import { shownOncePage } from '../../../platform/pages/copyable.js';
import { confirmPage, formNonce, formPage } from '../../../platform/pages/define-pages.js';
import { withFlash } from '../../../platform/pages/flash.js';
import type { PageContext, PageView } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { applicationAddress } from '../../../platform/pages/paths.js';
import { Timestamp, TimestampOrNever } from '../../../platform/pages/timestamp.js';
import { found, recordNotFound } from '../../../platform/problems/problem.js';
import type { ApplicationPagesDependencies } from '../index.js';
import { credentialsPage, TokenExample } from './credentials.js';
import { type ExpiryForm, noExpiry, readExpiry, resolveExpiry } from './expiry-fields.js';
import { SecretName } from './secrets-section.js';

/** The only page that shows a client secret. */
export function secretPage(
  title: string,
  {
    id,
    clientId,
    clientSecret,
    expiresAt,
    baseUrl,
  }: { id: string; clientId: string; clientSecret: string; expiresAt: Date | null; baseUrl: string },
): PageView {
  return shownOncePage({
    title,
    warning: (
      <>
        <strong>Copy the client secret now. You won't be able to see it again.</strong> Anyone who has it can
        act as this application. Store it where only your server can read it, never in source code.
        {expiresAt !== null && (
          <>
            {' '}
            It expires on <Timestamp at={expiresAt} />.
          </>
        )}
      </>
    ),
    values: [
      { id: 'client-id', label: 'Client ID', value: clientId },
      { id: 'client-secret', label: 'Client secret', value: clientSecret },
    ],
    more: (
      <>
        <h2>Get a token</h2>
        <TokenExample baseUrl={baseUrl} clientId={clientId} />
      </>
    ),
    next: { href: tabAddress(id, 'credentials'), label: 'I have stored the secret' },
  });
}

/** The credentials of an application, and creation and revocation of client secrets. */
export function secretPages(site: PageRouter, dependencies: ApplicationPagesDependencies): void {
  const { clientCredentials, baseUrl } = dependencies;

  const view = async (context: PageContext, form: ExpiryForm, alert?: string): Promise<PageView> => {
    const application = await requestedApplication(context, dependencies);
    if (application.isInstallation) throw recordNotFound();
    const newSecret = { form, nonce: formNonce(context) };
    return credentialsPage({
      ...{ application, baseUrl, now: context.auditContext.at, newSecret },
      ...(alert !== undefined && { alert }),
    });
  };
  const rejection = async (context: PageContext, alert: string) => ({
    status: 409,
    ...(await view(context, noExpiry, alert)),
  });

  formPage<ExpiryForm>(site, applicationAddress(':id', 'secrets'), {
    page: tabAddress(':id', 'credentials'),
    recentPassword: ['form', 'creates a client secret'],
    initial: () => noExpiry,
    read: readExpiry,
    view,
    save: async (context, form) => {
      const { id } = await requestedApplication(context, dependencies);
      const nonce = formNonce(context);
      const expiry = resolveExpiry(context, form);
      if ('errors' in expiry) return expiry;
      const { expiresAt } = expiry;
      const created = await clientCredentials.createSecret(context.auditContext, {
        applicationId: id,
        nonce,
        expiresAt,
      });
      switch (created.kind) {
        case 'created':
          return secretPage('Secret created', { ...created, id, expiresAt, baseUrl });
        case 'repeated':
          return { redirect: withFlash(tabAddress(id, 'credentials'), 'secret_exists') };
        case 'limit_reached':
          return rejection(
            context,
            'An application has at most two secrets. Revoke one before you create another.',
          );
        case 'uses_keys':
          return rejection(context, 'The application uses keys. Replace them by a secret first.');
        case 'public_client':
          return rejection(context, 'A public application has no secret.');
        case 'not_found':
          throw recordNotFound();
      }
    },
  });

  // A user whose session expired is sent back to the path of the form after signing in.
  site.get(applicationAddress(':id', 'secrets'), async (context) => ({
    redirect: tabAddress((await requestedApplication(context, dependencies)).id, 'credentials'),
  }));

  confirmPage(site, applicationAddress(':id', 'secrets', ':secret_id', 'revoke'), {
    reason: 'revokes a client secret',
    view: async (context) => {
      const { id, name, secrets } = await requestedApplication(context, dependencies);
      const secret = found(secrets.find((known) => known.id === context.parameter('secret_id')));
      return {
        title: 'Revoke this secret?',
        parent: { title: `Credentials of ${name}`, href: tabAddress(id, 'credentials') },
        button: 'Revoke secret',
        cancel: tabAddress(id, 'credentials'),
        body: (
          <div class="warning">
            <p>
              <SecretName {...secret} /> of <strong>{name}</strong>. Last used:{' '}
              <strong>
                <TimestampOrNever at={secret.lastUsedAt} />
              </strong>
              .
            </p>
            <p>
              Clients that use this secret can no longer get tokens. Tokens that were already issued stay
              valid until they expire. This cannot be undone.
            </p>
          </div>
        ),
      };
    },
    save: async (context) => {
      const { id: applicationId } = await requestedApplication(context, dependencies);
      const secretId = context.parameter('secret_id');
      const outcome = await clientCredentials.revokeSecret(context.auditContext, { applicationId, secretId });
      if (outcome === 'not_found') throw recordNotFound();
      if (outcome === 'only_one') {
        return rejection(
          context,
          'This is the only secret that is valid. Create another before you revoke it.',
        );
      }
      return { redirect: withFlash(tabAddress(applicationId, 'credentials'), 'secret_revoked') };
    },
  });
}
