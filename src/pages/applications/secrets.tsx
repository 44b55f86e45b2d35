import { randomId } from '../../database/ids.js';
import { recordNotFound } from '../../problems/problem.js';
import type { ApplicationDetails, SecretSummary } from '../../services/applications/application-details.js';
import { ConfirmForm } from '../confirm-form.js';
import { withNotice } from '../notices.js';
import type { PageResponse, Site, Visit } from '../site.js';
import { SitePage, settings } from '../site-page.js';
import { Timestamp, TimestampOrNever } from '../timestamp.js';
import { type ApplicationPagesDependencies, addressOf, visitedApplication } from './application-pages.js';
import { SecretPage } from './secret-page.js';
import { ShowPage } from './show-page.js';

/** Replacing a client secret: a second one is created, and later the first one is retired. */
export function secretPages(site: Site, dependencies: ApplicationPagesDependencies): void {
  const { clientSecrets, baseUrl } = dependencies;
  const path = `${settings.applications}/:id/secrets`;

  const rejection = async (visit: Visit, alert: string): Promise<PageResponse> => {
    const application = await visitedApplication(visit, dependencies);
    return { status: 409, page: <ShowPage {...{ visit, application, baseUrl, alert }} /> };
  };

  // The address of the form, for whoever comes back to it after signing in.
  site.get(path, async (visit) => ({ goTo: addressOf((await visitedApplication(visit, dependencies)).id) }));

  site.post(path, async (visit) => {
    const { id } = await visitedApplication(visit, dependencies);
    const nonce = visit.form.text('form') || randomId();
    const created = await clientSecrets.create(visit.auditContext, { applicationId: id, nonce });
    switch (created.kind) {
      case 'created': {
        const { clientId, clientSecret } = created;
        return {
          script: true,
          page: (
            <SecretPage visit={visit} title="Secret created" {...{ id, clientId, clientSecret, baseUrl }} />
          ),
        };
      }
      case 'repeated':
        return { goTo: withNotice(addressOf(id), 'secret_exists') };
      case 'too_many':
        return rejection(visit, 'There are two secrets already. Retire one before you create another.');
      case 'public_client':
        return rejection(visit, 'A public application has no secret.');
      case 'not_found':
        throw recordNotFound();
    }
  });

  site.get(`${path}/:secret_id/retire`, async (visit) => {
    const application = await visitedApplication(visit, dependencies);
    const secret = application.secrets.find(({ id }) => id === visit.parameter('secret_id'));
    if (secret === undefined) throw recordNotFound();
    return { page: <RetirePage {...{ visit, application, secret }} /> };
  });

  site.post(`${path}/:secret_id/retire`, async (visit) => {
    const { id: applicationId } = await visitedApplication(visit, dependencies);
    const secretId = visit.parameter('secret_id');
    const outcome = await clientSecrets.retire(visit.auditContext, { applicationId, secretId });
    if (outcome === 'not_found') throw recordNotFound();
    if (outcome === 'only_one') {
      return rejection(visit, 'This is the only secret. Create a second one before you retire it.');
    }
    return { goTo: withNotice(addressOf(applicationId), 'secret_retired') };
  });
}

function RetirePage({
  visit,
  application,
  secret,
}: {
  visit: Visit;
  application: ApplicationDetails;
  secret: SecretSummary;
}) {
  const title = 'Retire this secret?';
  return (
    <SitePage visit={visit} title={title} current="applications">
      <h1>{title}</h1>
      <div class="warning">
        <p>
          It is a secret of <strong>{application.name}</strong>, created{' '}
          <Timestamp at={secret.createdAt} reader={visit.user} />, last used:{' '}
          <strong>
            <TimestampOrNever at={secret.lastUsedAt} reader={visit.user} />
          </strong>
          .
        </p>
        <p>
          Software that still uses it gets no tokens from now on. Tokens that it has already got work until
          they expire. A retired secret cannot be brought back.
        </p>
      </div>
      <ConfirmForm
        visit={visit}
        action={addressOf(application.id, 'secrets', secret.id, 'retire')}
        button="Retire secret"
        cancel={addressOf(application.id)}
      />
    </SitePage>
  );
}
