import { findSettingsErrors } from '../../../oauth/clients/application-settings.js';
import { randomId } from '../../../platform/database/ids.js';
import type { FormError } from '../../../platform/pages/form-parts.js';
import { withNotice } from '../../../platform/pages/notices.js';
import type { PageContext, PageHandler } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { applicationAddress, settings } from '../../../platform/pages/paths.js';
import { type ApplicationForm, emptyForm, formErrors, readApplicationForm } from './application-form.js';
import type { ApplicationPagesDependencies } from './application-pages.js';
import { ApplicationFormPage } from './form-page.js';
import { SecretPage } from './secrets.js';

/** Form for a new application, and its submission. */
export function createPages(site: PageRouter, dependencies: ApplicationPagesDependencies): void {
  const { applications, baseUrl, production } = dependencies;
  const knownScopes = Object.keys(dependencies.scopes);

  const formPage = (
    context: PageContext,
    form: ApplicationForm,
    more: { nonce: string; errors?: readonly FormError[] },
  ) => (
    <ApplicationFormPage
      context={context}
      title="New application"
      action={settings.applications}
      back={settings.applications}
      button="Create application"
      form={form}
      hidden={{ form: more.nonce }}
      scopes={knownScopes}
      production={production}
      {...(more.errors && { errors: more.errors })}
    />
  );

  site.get(`${settings.applications}/new`, async (context) => ({
    page: formPage(context, emptyForm, { nonce: randomId() }),
  }));

  const create: PageHandler = async (context) => {
    const form = readApplicationForm(context.form);
    const nonce = context.form.text('form') || randomId();

    const clientType = form.clientType === '' ? 'confidential' : form.clientType;
    const found = findSettingsErrors(form, { clientType, knownScopes, allowLocalhost: !production });
    const errors = formErrors(found, { clientType: form.clientType, firstScope: knownScopes[0] ?? '' });
    if (errors.length > 0) return { status: 400, page: formPage(context, form, { nonce, errors }) };

    const created = await applications.register(context.auditContext, {
      clientType,
      settings: form,
      nonce,
    });
    if (created.kind === 'repeated')
      return { redirect: withNotice(applicationAddress(created.id), 'application_exists') };
    const { id, clientId, clientSecret } = created;
    if (clientSecret === null) return { redirect: withNotice(applicationAddress(id), 'application_created') };
    // The secret is in the response to the form: in a URL it would stay in the browser's history.
    return {
      script: true,
      page: (
        <SecretPage
          context={context}
          title="Application created"
          {...{ id, clientId, clientSecret, baseUrl }}
        />
      ),
    };
  };
  site.post(settings.applications, create, {
    restore: async (context) => {
      const nonce = context.form.text('form') || randomId();
      return { page: formPage(context, readApplicationForm(context.form), { nonce }) };
    },
  });
}
