import { randomId } from '../../database/ids.js';
import { settingsFaults } from '../../services/applications/application-settings.js';
import type { FormFault } from '../form-parts.js';
import { withNotice } from '../notices.js';
import type { Site, Visit } from '../site.js';
import { settings } from '../site-page.js';
import {
  type ApplicationForm,
  emptyForm,
  formFaults,
  readApplicationForm,
  requestsLines,
} from './application-form.js';
import { type ApplicationPagesDependencies, addressOf } from './application-pages.js';
import { ApplicationFormPage } from './form-page.js';
import { SecretPage } from './secret-page.js';

/** The form for a new application, and what becomes of it. */
export function createPages(site: Site, dependencies: ApplicationPagesDependencies): void {
  const { applications, baseUrl, production } = dependencies;
  const knownScopes = Object.keys(dependencies.scopes);

  const formPage = (
    visit: Visit,
    form: ApplicationForm,
    more: { nonce: string; faults?: readonly FormFault[]; moreLines?: boolean },
  ) => (
    <ApplicationFormPage
      visit={visit}
      title="New application"
      action={settings.applications}
      back={settings.applications}
      button="Create application"
      form={form}
      hidden={{ form: more.nonce }}
      scopes={knownScopes}
      production={production}
      {...(more.faults && { faults: more.faults })}
      {...(more.moreLines && { moreLines: true })}
    />
  );

  site.get(`${settings.applications}/new`, async (visit) => ({
    page: formPage(visit, emptyForm, { nonce: randomId() }),
  }));

  site.post(settings.applications, async (visit) => {
    const form = readApplicationForm(visit.form);
    const nonce = visit.form.text('form') || randomId();
    if (requestsLines(visit.form)) return { page: formPage(visit, form, { nonce, moreLines: true }) };

    const clientType = form.clientType === '' ? 'confidential' : form.clientType;
    const found = settingsFaults(form, { clientType, knownScopes, allowLocalhost: !production });
    const faults = formFaults(found, { clientType: form.clientType, firstScope: knownScopes[0] ?? '' });
    if (faults.length > 0) return { status: 400, page: formPage(visit, form, { nonce, faults }) };

    const created = await applications.register(visit.auditContext, {
      clientType,
      settings: form,
      nonce,
    });
    if (created.kind === 'repeated') return { goTo: withNotice(addressOf(created.id), 'application_exists') };
    const { id, clientId, clientSecret } = created;
    if (clientSecret === null) return { goTo: withNotice(addressOf(id), 'application_created') };
    // The secret is in this one answer to the form: an address would keep it in the browser's history.
    return {
      script: true,
      page: (
        <SecretPage visit={visit} title="Application created" {...{ id, clientId, clientSecret, baseUrl }} />
      ),
    };
  });
}
