import type { ApplicationDetails } from '../../../oauth/clients/application-details.js';
import { findSettingsErrors } from '../../../oauth/clients/application-settings.js';
import { requestedApplication } from '../../../oauth/clients/requested-application.js';
import { isUnchanged } from '../../../platform/pages/fields.js';
import type { FormError } from '../../../platform/pages/form-parts.js';
import { withNotice } from '../../../platform/pages/notices.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { applicationAddress, settings } from '../../../platform/pages/paths.js';
import { recordNotFound } from '../../../platform/problems/problem.js';
import { settingsVersion } from '../settings-changes.js';
import { type ApplicationForm, fieldIds, formErrors, readApplicationForm } from './application-form.js';
import type { ApplicationPagesDependencies } from './application-pages.js';
import { ApplicationFormPage } from './form-page.js';

/** Form that changes an application, except its client type and client ID. */
export function editPages(site: PageRouter, dependencies: ApplicationPagesDependencies): void {
  const { applications, production } = dependencies;
  const knownScopes = Object.keys(dependencies.scopes);
  const path = `${settings.applications}/:id/edit`;

  const formPage = (
    context: PageContext,
    application: ApplicationDetails,
    form: ApplicationForm,
    more: { version: string; errors?: readonly FormError[]; stored?: ApplicationDetails },
  ) => (
    <ApplicationFormPage
      context={context}
      title={`Edit ${application.name}`}
      action={applicationAddress(application.id, 'edit')}
      back={applicationAddress(application.id)}
      button="Save changes"
      form={form}
      hidden={{ version: more.version }}
      scopes={knownScopes}
      production={production}
      {...(more.errors && { errors: more.errors })}
      {...(more.stored && { stored: more.stored })}
    />
  );

  site.get(path, async (context) => {
    const application = await requestedApplication(context, dependencies);
    return { page: formPage(context, application, application, { version: settingsVersion(application) }) };
  });

  site.post(
    path,
    async (context) => {
      const application = await requestedApplication(context, dependencies);
      const { clientType, id } = application;
      const submitted = readApplicationForm(context.form);
      const { name: storedName } = application;
      const name = isUnchanged(submitted.name, storedName) ? storedName : submitted.name;
      const form = { ...submitted, name, clientType };
      const version = context.form.text('version');

      const found = findSettingsErrors(form, {
        clientType,
        knownScopes,
        allowLocalhost: !production,
        storedName,
      });
      const errors = formErrors(found, { clientType, firstScope: knownScopes[0] ?? '' });
      if (errors.length > 0)
        return { status: 400, page: formPage(context, application, form, { version, errors }) };

      const outcome = await applications.update(context.auditContext, {
        id,
        settings: form,
        version: version === '' ? undefined : version,
      });
      if (outcome === 'not_found') throw recordNotFound();
      if (outcome === 'updated')
        return { redirect: withNotice(applicationAddress(id), 'application_updated') };
      const message =
        'Another user changed this application while you were editing it. Compare the saved values with yours. To replace them, save again.';
      const current = settingsVersion(application);
      return {
        status: 409,
        page: formPage(context, application, form, {
          version: current,
          errors: [{ field: fieldIds.name, message }],
          stored: application,
        }),
      };
    },
    {
      restore: async (context) => {
        const application = await requestedApplication(context, dependencies);
        const form = { ...readApplicationForm(context.form), clientType: application.clientType };
        return { page: formPage(context, application, form, { version: context.form.text('version') }) };
      },
    },
  );
}
