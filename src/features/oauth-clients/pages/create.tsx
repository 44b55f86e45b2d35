import { findSettingsErrors } from '../../../oauth/clients/application-settings.js';
import { formNonce, formPage } from '../../../platform/pages/define-pages.js';
import { withFlash } from '../../../platform/pages/flash.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { applicationAddress, settings } from '../../../platform/pages/paths.js';
import { emptyForm, formErrors, readApplicationForm } from './application-form.js';
import type { ApplicationPagesDependencies } from './application-pages.js';
import { ApplicationFields } from './form-page.js';
import { secretPage } from './secrets.js';

/** Form for a new application, and its submission. */
export function createPages(site: PageRouter, dependencies: ApplicationPagesDependencies): void {
  const { applications, baseUrl, production } = dependencies;
  const knownScopes = Object.keys(dependencies.scopes);

  formPage(site, settings.applications, {
    page: `${settings.applications}/new`,
    recentPassword: ['form', 'creates a client secret'],
    initial: (context) => ({ values: emptyForm, nonce: formNonce(context) }),
    read: (context) => ({ values: readApplicationForm(context.form), nonce: formNonce(context) }),
    view: (_, { values, nonce }) => ({
      title: 'New application',
      body: (
        <ApplicationFields
          action={settings.applications}
          back={settings.applications}
          button="Create application"
          form={values}
          hidden={['form', nonce]}
          scopes={knownScopes}
          production={production}
        />
      ),
    }),
    save: async (context, { values, nonce }) => {
      const clientType = values.clientType === '' ? 'confidential' : values.clientType;
      const found = findSettingsErrors(values, { clientType, knownScopes, allowLocalhost: !production });
      const errors = formErrors(found, { clientType: values.clientType, firstScope: knownScopes[0] ?? '' });
      if (errors.length > 0) return { errors };

      const created = await applications.register(context.auditContext, {
        clientType,
        settings: values,
        nonce,
      });
      if (created.kind === 'repeated')
        return { redirect: withFlash(applicationAddress(created.id), 'application_exists') };
      const { id, clientId, clientSecret } = created;
      if (clientSecret === null)
        return { redirect: withFlash(applicationAddress(id), 'application_created') };
      // The secret is in the response to the form: in a URL it would stay in the browser's history.
      return secretPage({ title: 'Application created', id, clientId, clientSecret, baseUrl });
    },
  });
}
